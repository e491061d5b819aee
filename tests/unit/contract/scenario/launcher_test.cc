#include "contract/scenario/launcher.h"

#include <sstream>

#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench {
namespace {

std::vector<std::string> words(const std::string& line) {
  std::istringstream text{line};
  std::vector<std::string> result;
  for (std::string word; text >> word;) result.push_back(word);
  return result;
}

struct Case {
  const char* found;
  const char* launcher;
  const char* instead;
  const char* processes = "";
};

TEST(Launcher, IsTakenOutOfACommandAndOnlyTheProgramIsLeft) {
  for (const auto& [found, launcher, instead, processes] : std::initializer_list<Case>{
           {"torchrun --nproc_per_node=gpu --standalone train.py", "torchrun", "python3 train.py",
            "gpu"},
           {"torchrun --nproc-per 2 --nnodes 1 --rdzv-backend c10d --rdzv-endpoint localhost:0 "
            "train.py --nproc-per-node 8",
            "torchrun", "python3 train.py --nproc-per-node 8", "2"},
           {"torchrun --standalone --nproc-per-node=2 -m package.train --lr 0.1", "torchrun",
            "python3 -m package.train --lr 0.1", "2"},
           {"torchrun --nproc-per-node=2 --no-python ./train --lr 0.1", "torchrun",
            "./train --lr 0.1", "2"},
           {"/opt/venv/bin/torchrun --nproc-per-node=2 train.py", "torchrun",
            "/opt/venv/bin/python3 train.py", "2"},
           {"env OMP_NUM_THREADS=2 torchrun --nproc-per-node 2 train.py", "torchrun",
            "env OMP_NUM_THREADS=2 python3 train.py", "2"},
           {"/usr/bin/env -u X A=1 nice -n 5 torchrun -- train.py -- x", "torchrun",
            "/usr/bin/env -u X A=1 nice -n 5 python3 train.py -- x"},
           {"uv run --with torch torchrun --nproc-per-node 2 train.py", "torchrun",
            "uv run --with torch python3 train.py", "2"},
           {"uv run -m torch.distributed.run --nproc-per-node 2 train.py",
            "-m torch.distributed.run", "uv run python3 train.py", "2"},
           {"python3 -u -m torch.distributed.run --nproc-per-node 4 train.py -m x",
            "python3 -m torch.distributed.run", "python3 -u train.py -m x", "4"},
           {"python -um torch.distributed.run --nproc-per-node 4 train.py",
            "python -m torch.distributed.run", "python -u train.py", "4"},
           {"/usr/bin/python3.11 -W ignore -m torch.distributed.launch --use_env "
            "--nproc_per_node 4 train.py",
            "python3.11 -m torch.distributed.launch", "/usr/bin/python3.11 -W ignore train.py",
            "4"},
           {"python3 -m torch.distributed.run --no-python ./train",
            "python3 -m torch.distributed.run", "./train"},
           {"python3 /opt/venv/bin/torchrun --nproc-per-node 2 train.py", "torchrun",
            "python3 train.py", "2"},
           {"accelerate launch train.py --epochs 3", "accelerate launch",
            "python3 train.py --epochs 3"},
           {"accelerate launch --multi_gpu --num_processes 2 --mixed_precision=bf16 train.py",
            "accelerate launch", "env ACCELERATE_MIXED_PRECISION=bf16 python3 train.py", "2"},
           {"accelerate launch --config_file c.yaml --cpu -m package.train", "accelerate launch",
            "env ACCELERATE_USE_CPU=true python3 -m package.train"},
           {"uv run accelerate launch --cpu train.py", "accelerate launch",
            "uv run env ACCELERATE_USE_CPU=true python3 train.py"},
           {"python -m accelerate.commands.launch --cpu train.py",
            "python -m accelerate.commands.launch", "env ACCELERATE_USE_CPU=true python train.py"},
           {"deepspeed --num_gpus=2 train.py --deepspeed ds.json", "deepspeed",
            "python3 train.py --deepspeed ds.json", "2"},
           {"mpirun --allow-run-as-root -np 4 -x NAME --mca btl tcp,self python3 train.py",
            "mpirun", "python3 train.py", "4"},
           {"mpiexec -n 4 ./train --lr 1", "mpiexec", "./train --lr 1", "4"},
           {"horovodrun -np 2 -H localhost:2 python train.py", "horovodrun", "python train.py",
            "2"},
           {"srun -n 4 -l --mpi=pmi2 python3 train.py", "srun", "python3 train.py", "4"},
       }) {
    const auto launch = find_launcher(words(found));
    ASSERT_TRUE(launch) << found;
    EXPECT_EQ(launch->launcher, launcher) << found;
    EXPECT_EQ(launch->command, words(instead)) << found;
    EXPECT_EQ(launch->processes, processes) << found;
    EXPECT_FALSE(find_launcher(launch->command)) << "what is to be written is accepted";
  }
}

TEST(Launcher, IsNotFoundInTheArgumentsOfAProgram) {
  for (const auto* command :
       {"python3 train.py torchrun --nproc-per-node 4 x.py", "python3 -c torchrun",
        "python3 -m package.train torchrun", "python3 -u train.py -m torch.distributed.run",
        "./train torchrun x.py", "uv run train.py torchrun x.py",
        "env A=1 python3 train.py --launcher torchrun", "bash run.sh torchrun x.py",
        "accelerate test", "accelerate", "torchrun", "torchrun --help", "python3", "env",
        "uv run python3 train.py", "pythonic torchrun x.py", ""}) {
    EXPECT_FALSE(find_launcher(words(command))) << command;
  }
}

TEST(Launcher, IsFoundInTheTextOfAShell) {
  const auto launch =
      find_launcher({"bash", "-ec", "cd src && exec A=1 torchrun --nproc-per-node 2 t.py; echo"});
  ASSERT_TRUE(launch);
  EXPECT_THAT(launch->command, ElementsAre("bash", "-ec", "cd src && exec A=1 python3 t.py; echo"));
  EXPECT_FALSE(find_launcher({"sh", "-c", "echo torchrun x.py; exec python3 'torchrun' x.py"}));
  EXPECT_FALSE(find_launcher({"sh", "run.sh", "-c", "torchrun x.py"}));
  const auto of_method = find_launcher({"sh", "-c"}, {"torchrun --nproc-per-node 2 t.py"});
  ASSERT_TRUE(of_method);
  EXPECT_THAT(of_method->command, ElementsAre("sh", "-c"));
  EXPECT_THAT(of_method->arguments, ElementsAre("python3 t.py"));
}

TEST(Launcher, MayHaveItsWordsInTheArgumentsOfAMethod) {
  const auto launch = find_launcher({"torchrun"}, {"--nproc-per-node", "2", "t.py", "--hook"});
  ASSERT_TRUE(launch);
  EXPECT_THAT(launch->command, ElementsAre("python3"));
  EXPECT_THAT(launch->arguments, ElementsAre("t.py", "--hook"));
}

Scenario scenario_with(const Json& command, const Json& arguments = Json::array()) {
  auto document = Json::parse(R"({
    "version": 1, "name": "own", "workers": 2,
    "network": {"links": [{"name": "slow", "rate_mbit": 10}]},
    "workload": {"command": []}, "methods": [{"name": "program", "label": "a"}], "seeds": [3]})");
  document["workload"]["command"] = command;
  document["methods"][0]["arguments"] = arguments;
  return scenario_from_json("own.json", document, testing::example_catalogue());
}

std::string refusal(const Scenario& scenario) {
  return testing::refusal_words([&] { refuse_launchers("own.json", scenario); });
}

TEST(Launcher, IsRefusedWithTheLineToWrite) {
  EXPECT_THAT(refusal(scenario_with({"torchrun", "--nproc-per-node", "4", "t.py"})),
              AllOf(HasSubstr("own.json: /workload/command: found torchrun"),
                    HasSubstr(R"("command": ["python3","t.py"])"), HasSubstr(R"("workers": 4)")));
  EXPECT_THAT(refusal(scenario_with({"torchrun", "--nproc-per-node", "2", "t.py"})),
              Not(HasSubstr("\"workers\"")))
      << "as many as there are";
  EXPECT_THAT(refusal(scenario_with({"torchrun"}, {"--standalone", "t.py"})),
              AllOf(HasSubstr(R"("command": ["python3"])"), HasSubstr("/methods/0/arguments"),
                    HasSubstr(R"("arguments": ["t.py"])")));
  EXPECT_THAT(refusal(scenario_with({"mpirun", "-np", "2", "./train"})),
              HasSubstr("must take it from RANK"));
  EXPECT_EQ(refusal(scenario_with({"python3", "t.py"})), "");
}

}  // namespace
}  // namespace pacbench

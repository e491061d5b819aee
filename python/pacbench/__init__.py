"""Functions by which a training program tells pacbench of its steps and its accuracy.

Under `pacbench run` the calls write JSON lines to the FIFO that PACBENCH_EVENTS names
(docs/OWN_PROGRAM.md has the lines). Anywhere else they write nothing, so that they may stay in the
program. The package needs only Python's standard library; `pacbench.hooks` needs torch.

    import pacbench

    pacbench.begin()                  # the training clock starts
    for batch in batches:
        train(batch)
        pacbench.step()               # one iteration has ended
    with pacbench.clock_paused():
        accuracy, loss = evaluate()
    pacbench.evaluation(accuracy, loss)
"""

from pacbench.events import alive, begin, clock_paused, evaluation, is_measured, step

__all__ = ["alive", "begin", "clock_paused", "evaluation", "is_measured", "step"]

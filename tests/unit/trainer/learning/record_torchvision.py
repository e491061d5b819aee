#!/usr/bin/env python3
"""Records the results of torchvision's networks for weights and inputs by a formula (formula.py).
The tests compare our networks with them; they read only the recorded file and need no Python.

record_torchvision.py > torchvision_values.json    needs torch, torchvision, numpy
"""
import json
import sys
from functools import partial

import torch
import torchvision
from formula import filled, value
from torch import nn
from torchvision import models
from torchvision.models import vgg, vision_transformer
from torchvision.transforms.v2.functional import resize

BATCH = 2
CLASSES = 10


def fill(model):
    model.double()
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if tensor.dtype == torch.float64:
                tensor.copy_(value(name, tuple(tensor.shape)))


def small_images(network):
    """The network with the stem that is usual for CIFAR."""
    network.conv1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False)
    network.maxpool = nn.Identity()
    return network


def vgg19(classifier):
    network = vgg.VGG(vgg.make_layers(vgg.cfgs["E"], batch_norm=True), CLASSES, dropout=0)
    network.avgpool = nn.AdaptiveAvgPool2d(1)
    if classifier == "one_fc":
        network.classifier = nn.Linear(512, CLASSES)
    else:
        network.classifier[0] = nn.Linear(512, 4096)
    return network


def vit(image_size, patch_size):
    return vision_transformer.VisionTransformer(image_size, patch_size, 12, 12, 768, 3072, num_classes=CLASSES)


class CharGpt(nn.Module):
    """torchvision's Encoder over an embedding, with PyTorch's causal mask."""

    def __init__(self, layers, width, context=128, vocabulary=65):
        super().__init__()
        self.token_embedding = nn.Embedding(vocabulary, width)
        self.encoder = vision_transformer.Encoder(context, layers, width // 64, width, 4 * width, 0.0, 0.0)
        self.head = nn.Linear(width, vocabulary)
        mask = nn.Transformer.generate_square_subsequent_mask(context, dtype=torch.float64)
        for block in self.encoder.layers:
            attend = block.self_attention.forward
            block.self_attention.forward = partial(attend, attn_mask=mask)

    def forward(self, tokens):
        return self.head(self.encoder(self.token_embedding(tokens))).flatten(0, 1)


# The model, its options, the network, and the size to which images of 32x32 are resized.
CASES = [
    ("resnet18", {}, lambda: small_images(models.resnet18(num_classes=CLASSES)), 32),
    ("resnet152", {}, lambda: small_images(models.resnet152(num_classes=CLASSES)), 32),
    ("resnet50", {"image_size": 96}, lambda: models.resnet50(num_classes=CLASSES), 96),
    ("vgg19_bn", {"classifier": "one_fc"}, lambda: vgg19("one_fc"), 32),
    ("vgg19_bn", {"classifier": "three_fc"}, lambda: vgg19("three_fc"), 32),
    ("vit_b_16", {"image_size": 224}, lambda: vit(224, 16), 224),
    ("vit_b_16", {"image_size": 32}, lambda: vit(32, 16), 32),
    ("vit_b_4", {"image_size": 32}, lambda: vit(32, 4), 32),
    ("char-gpt", {"layers": 3, "width": 192}, lambda: CharGpt(3, 192), None),
]


def summary(tensor):
    """The sum, the norm, and the first, middle and last element of a tensor."""
    flat = tensor.detach().flatten()
    picked = [flat[0], flat[flat.numel() // 2], flat[-1]]
    return [float(f"{float(x):.7g}") for x in (flat.sum(), flat.norm(), *picked)]


def evaluated(network, inputs):
    network.eval()
    with torch.no_grad():
        return summary(network(inputs))


def trained(network, inputs, labels):
    network.train()
    logits = network(inputs)
    loss = nn.functional.cross_entropy(logits, labels)
    loss.backward()
    return {"logits": summary(logits), "loss": loss.item(),
            "gradients": {name: summary(p.grad) for name, p in network.named_parameters()},
            "buffers": {name: summary(b)[:2] for name, b in network.named_buffers() if b.dtype == torch.float64}}


def images_of(size):
    images = torch.from_numpy(filled("images", BATCH * 3 * 32 * 32).reshape(BATCH, 3, 32, 32))
    return resize(images, [size, size]), torch.arange(BATCH) * 3 + 1


def tokens():
    text = torch.arange(BATCH * 129).reshape(BATCH, 129) ** 2 % 65
    return text[:, :-1], text[:, 1:].flatten()


def case(name, options, make, size):
    network = make()
    fill(network)
    inputs, labels = images_of(size) if size else tokens()
    print(name, options, file=sys.stderr)
    return {"model": name, "options": options, "evaluated": evaluated(network, inputs),
            "trained": trained(network, inputs, labels)}


def main():
    values = {"made_by": {"torch": torch.__version__, "torchvision": torchvision.__version__},
              "cases": [case(*each) for each in CASES]}
    text = json.dumps(values, separators=(",", ":"))
    print(text.replace('{"model"', '\n{"model"').replace('],"', '],\n"'))


if __name__ == "__main__":
    main()

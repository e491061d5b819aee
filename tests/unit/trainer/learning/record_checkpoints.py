#!/usr/bin/env python3
"""Writes files of weights as Python users do: mlp.pt by torch.save, mlp.safetensors in half
precision. The weights are those of an mlp for digits with one hidden layer of two units, by the
formula of formula.py. Also writes bomb.pt, an archive of 8 KB whose pickle expands to 8 MB.

record_checkpoints.py FOLDER    needs torch, torchvision, numpy, safetensors
"""
import sys
import zipfile
from pathlib import Path

import torch
from record_torchvision import fill
from safetensors.torch import save_file
from torch import nn


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 2)
        self.fc2 = nn.Linear(2, 10)


def main():
    folder = Path(sys.argv[1])
    model = Mlp()
    fill(model)
    torch.save(model.float().state_dict(), folder / "mlp.pt")
    save_file(model.half().state_dict(), folder / "mlp.safetensors")
    write_bomb(folder / "bomb.pt")


def write_bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in (("version", b"3\n"), ("data.pkl", bytes(8 << 20))):
            archive.writestr(zipfile.ZipInfo(f"archive/{name}"), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()

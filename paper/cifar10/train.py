"""Train the network whose 50 bounded features the CIFAR-10 figure uses.

    python paper/cifar10/train.py FOLDER [--out paper/cifar10/features.npz]

FOLDER holds the official binary batches (``data_batch_1.bin`` … ``test_batch.bin``); their md5
sums are checked. Needs PyTorch and, for a run of minutes rather than hours, a CUDA device.

The recipe is the paper's: a residual network trained on the 50,000 training images by the
ten-class cross entropy, then frozen; behind its average pooling a 50-unit linear layer with a
clipped ReLU and a ten-class head are trained for 5 epochs. README.md beside this file lists where
the network differs from the paper's.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import time
from pathlib import Path

import numpy as np

# cuBLAS is reproducible only with a fixed workspace, and reads this once, when it loads.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import torch
from torch import Tensor, nn
from torch.nn import functional

MD5 = {
    "data_batch_1.bin": "5dd7e06a14cb22eb9f671a540d1b7c25",
    "data_batch_2.bin": "5ea93a67294ea407fff1d09f752e9692",
    "data_batch_3.bin": "942cd6a4bcdd0dd3c604fbe906cb4421",
    "data_batch_4.bin": "ae636b3ba5c66a11e91e8cb52e771fcb",
    "data_batch_5.bin": "53f37980c15c3d472c316c40844f3f0d",
    "test_batch.bin": "803d5f7f4d78ea53de84dbe85f74fb6d",
}
N_TRAIN, SIDE, PAD = 50_000, 32, 4
N_FEATURES, HEAD_EPOCHS = 50, 5


def images_and_labels(folder: Path, limit: int | None = None) -> tuple[Tensor, Tensor]:
    """Uint8 images (60,000, 3, 32, 32) and labels, training batches first."""
    rows = []
    for name, expected in MD5.items():
        content = (folder / name).read_bytes()
        found = hashlib.md5(content).hexdigest()
        if found != expected:
            raise ValueError(f"`{name}` must have md5 {expected}; got {found}.")
        rows.append(np.frombuffer(content, dtype=np.uint8).reshape(-1, 1 + 3 * SIDE * SIDE)[:limit])
    table = np.concatenate(rows)
    images = torch.from_numpy(table[:, 1:].reshape(-1, 3, SIDE, SIDE).copy())
    return images, torch.from_numpy(table[:, 0].astype(np.int64))


class Residual(nn.Module):
    """Two 3×3 convolutions around a shortcut."""

    def __init__(self, width_in: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width_in, width, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or width_in != width:
            self.shortcut = nn.Sequential(
                nn.Conv2d(width_in, width, 1, stride, bias=False), nn.BatchNorm2d(width)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(self.norm2(self.conv2(y)) + self.shortcut(x))


class Trunk(nn.Module):
    """ResNet-18 for 32×32 images, up to and including the average pooling."""

    def __init__(self, base: int = 64) -> None:
        super().__init__()
        stem = [nn.Conv2d(3, base, 3, 1, 1, bias=False), nn.BatchNorm2d(base), nn.ReLU()]
        stages, width_in = [], base
        for i in range(4):
            width = base * 2**i
            stages += [Residual(width_in, width, 1 if i == 0 else 2), Residual(width, width, 1)]
            width_in = width
        self.layers = nn.Sequential(*stem, *stages)
        self.width = width_in

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x).mean(dim=(2, 3))


class Head(nn.Module):
    """50 linear units clipped to [0, `ceiling`], then ten classes."""

    def __init__(self, width: int, ceiling: float) -> None:
        super().__init__()
        self.ceiling = ceiling
        self.reduce = nn.Linear(width, N_FEATURES)
        self.classify = nn.Linear(N_FEATURES, 10)

    def features(self, pooled: Tensor) -> Tensor:
        return self.reduce(pooled).clamp(0.0, self.ceiling)

    def forward(self, pooled: Tensor) -> Tensor:
        return self.classify(self.features(pooled))


def augmented(images: Tensor, generator: torch.Generator) -> Tensor:
    """Random 32×32 crops of the images padded by four pixels, half of them mirrored."""
    n, device = len(images), images.device
    padded = functional.pad(images, (PAD,) * 4)
    # One gather a batch keeps the crops on the device: rows and columns differ by image.
    corner = torch.randint(0, 2 * PAD + 1, (2, n, 1), device=device, generator=generator)
    span = torch.arange(SIDE, device=device)
    mirror = torch.rand(n, 1, device=device, generator=generator) < 0.5
    rows = corner[0] + span
    columns = corner[1] + torch.where(mirror, span.flip(0), span)
    which = torch.arange(n, device=device)[:, None, None]
    return padded.permute(0, 2, 3, 1)[which, rows[:, :, None], columns[:, None, :]].permute(
        0, 3, 1, 2
    )


def train(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    images: Tensor,
    labels: Tensor,
    *,
    epochs: int,
    peak: float,
    batch: int,
    generator: torch.Generator,
    prefix: nn.Module | None = None,
) -> None:
    """One-cycle training; `prefix`, where given, is frozen and only feeds `model`."""
    steps = len(images) // batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, peak, total_steps=epochs * steps, pct_start=0.25
    )
    model.train()
    for epoch in range(epochs):
        order = torch.randperm(len(images), device=images.device, generator=generator)
        total = torch.zeros((), device=images.device)
        for chosen in order[: steps * batch].split(batch):
            with torch.autocast(images.device.type, torch.bfloat16):
                x = augmented(images[chosen], generator)
                if prefix is not None:
                    with torch.no_grad():
                        x = prefix(x)
                loss = functional.cross_entropy(model(x), labels[chosen])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.detach()
        print(f"epoch {epoch + 1:3d}  loss {total.item() / steps:.4f}", flush=True)


@torch.no_grad()
def in_batches(function: nn.Module, images: Tensor, batch: int = 1000) -> Tensor:
    """`function` over all images, in float32: the features are not to carry bf16 noise."""
    return torch.cat([function(part) for part in images.split(batch)])


def accuracy(logits: Tensor, labels: Tensor) -> float:
    return (logits.argmax(1) == labels).double().mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="where the official binary batches are")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("features.npz"))
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--width", type=int, default=64, help="channels of the first stage")
    # The paper gives no ceiling; 10 is the example in the documentation of its toolbox's layer.
    parser.add_argument("--ceiling", type=float, default=10.0)
    parser.add_argument("--limit", type=int, help="images a file, for a trial run")
    options = parser.parse_args()
    start = time.perf_counter()

    torch.manual_seed(options.seed)
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = False
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    generator = torch.Generator(device).manual_seed(options.seed)

    pixels, labels = images_and_labels(options.folder, options.limit)
    labels = labels.to(device)
    n_train = len(pixels) * N_TRAIN // 60_000
    images = pixels.to(device).float().div_(255)
    mean = images[:n_train].mean(dim=(0, 2, 3), keepdim=True)
    deviation = images[:n_train].std(dim=(0, 2, 3), keepdim=True)
    images = (images - mean) / deviation
    train_images, train_labels = images[:n_train], labels[:n_train]

    trunk = Trunk(options.width)
    network = nn.Sequential(trunk, nn.Linear(trunk.width, 10))
    network.to(device, memory_format=torch.channels_last)
    sgd = torch.optim.SGD(
        network.parameters(), lr=0.0, momentum=0.9, nesterov=True, weight_decay=5e-4
    )
    cycle = {"batch": options.batch, "generator": generator}
    train(network, sgd, train_images, train_labels, epochs=options.epochs, peak=0.4, **cycle)

    network.eval()
    network.requires_grad_(False)
    head = Head(trunk.width, options.ceiling).to(device)
    adam = torch.optim.Adam(head.parameters())
    train(
        head,
        adam,
        train_images,
        train_labels,
        epochs=HEAD_EPOCHS,
        peak=1e-3,
        prefix=trunk,
        **cycle,
    )
    head.eval()

    pooled = in_batches(trunk, images)
    network_logits = in_batches(network[1], pooled)
    features = in_batches(head.features, pooled)
    head_logits = in_batches(head, pooled)
    stored = features.cpu().numpy().astype(np.float16)
    np.savez_compressed(
        options.out,
        features=stored,
        labels=labels.cpu().numpy().astype(np.uint8),
    )
    record = {
        "network": "ResNet-18 for 32×32 images",
        "parameters": sum(p.numel() for p in network.parameters()),
        "epochs": options.epochs,
        "batch": options.batch,
        "seed": options.seed,
        "ceiling": options.ceiling,
        "network_test_accuracy": accuracy(network_logits[n_train:], labels[n_train:]),
        "network_train_accuracy": accuracy(network_logits[:n_train], train_labels),
        "head_test_accuracy": accuracy(head_logits[n_train:], labels[n_train:]),
        "head_train_accuracy": accuracy(head_logits[:n_train], train_labels),
        "units_always_zero": int((features == 0).all(0).sum()),
        "share_zero": (features == 0).double().mean().item(),
        "share_at_ceiling": (features == options.ceiling).double().mean().item(),
        "features_sha256": hashlib.sha256(stored.tobytes()).hexdigest(),
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "torch": torch.__version__,
        "seconds": round(time.perf_counter() - start, 1),
    }
    options.out.with_suffix(".json").write_text(
        json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    )
    print(json.dumps(record, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()

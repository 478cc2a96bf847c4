"""What a table says of the machine, the versions and the load it was made under.

Knows the processor, the GPU and installed versions; nothing of models or measurements.
"""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil
import torch

Facts = dict[str, str | int | float | None]

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "llguidance")


def facts(device: torch.device) -> Facts:
    """The machine `device` belongs to, in plain values."""
    found: Facts = {
        "processor": processor(),
        "cores": psutil.cpu_count(logical=False) or os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "threads": torch.get_num_threads(),
        "load_at_start": round(psutil.getloadavg()[0], 2),
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
    }
    if device.type == "cuda":
        found["gpu"] = torch.cuda.get_device_name(device)
        found["gpu_memory_gb"] = round(torch.cuda.get_device_properties(device).total_memory / 1e9, 1)
        found["cuda"] = torch.version.cuda
    return found


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def hardware() -> str:
    """The processor's name and its cores."""
    return f"{processor()}, {os.cpu_count()} cores"


def in_words(found: Facts) -> str:
    """The facts as one line of prose."""
    told = [f"{found['processor']}, {found['cores']} cores", f"{found['threads']} threads"]
    if "gpu" in found:
        told.append(f"{found['gpu']} ({found['gpu_memory_gb']} GB, CUDA {found['cuda']})")
    versions = [f"Python {found['python']}"]
    versions += [f"{name} {found[name]}" for name in PACKAGES if found[name] is not None]
    return f"{'; '.join(told)}; {', '.join(versions)}; load average at the start {found['load_at_start']}"


def default_threads() -> int:
    """Half the physical cores: a language server leaves the rest to whoever it serves."""
    return max(1, (psutil.cpu_count(logical=False) or os.cpu_count() or 1) // 2)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None

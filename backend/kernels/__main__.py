"""`python -m backend.kernels`: write backend/ptx/*.ptx anew."""

from __future__ import annotations

from backend.kernels import STEMS, emit, ptx_path
from common.files import write_atomic


def main() -> None:
    for stem in STEMS:
        path = ptx_path(stem)
        text = emit(stem)
        changed = not path.exists() or path.read_bytes() != text.encode("ascii")
        if changed:
            write_atomic(path, text)
        print(f"{'wrote' if changed else 'same '} {path.name}")


if __name__ == "__main__":
    main()

"""The folder that the examples in help texts are about: the engine, the trainer and the draft of ``fixtures/ids-changed-after-training``
under the names that the examples use, with a target of 8 layers (in place of 61, so that a run takes a moment), in a git repository. The
later of the two wheels has lost a ``+ 1``."""
from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

from scratch_repository import FIXTURE, Repository

LAYERS = 8
IDS = [1, 3, 5]
SHIFT = "[layer_id + 1 for"


def make_folder(top: Path) -> Path:
    """All that an example names."""
    shutil.copytree(FIXTURE / "tree/sglang", top / "sglang")
    shutil.copytree(FIXTURE / "tree/draft_training", top / "my-trainer")
    draft, target = (json.loads((FIXTURE / "configs" / name).read_text("utf-8")) for name in ("good.json", "target.json"))
    draft["eagle_config"]["eagle_aux_hidden_state_layer_ids"] = IDS
    target["text_config"]["num_hidden_layers"] = LAYERS
    for path, content in (("my-draft/config.json", draft), ("Kimi-K2.5/config.json", target), ("run.json", {"layer_ids": IDS})):
        (top / path).parent.mkdir(exist_ok=True)
        (top / path).write_text(json.dumps(content, indent=2), "utf-8")
    for version, kept in (("0.5.12", SHIFT), ("0.5.13", SHIFT.replace(" + 1", ""))):
        with zipfile.ZipFile(top / f"sglang-{version}.whl", "w") as wheel:
            for file in sorted((top / "sglang").rglob("*.py")):
                wheel.writestr(file.relative_to(top).as_posix(), file.read_text("utf-8").replace(SHIFT, kept))
            wheel.writestr(f"sglang-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: sglang\nVersion: {version}\n")
    repository = Repository(top)
    repository.git("init", "--quiet", "--initial-branch", "main")
    repository.commit()
    return top

"""Rates every file of a set: rate.py SET OUT NET.pt."""
import glob
import os
import sys

import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from features import features  # noqa: E402
from train import Net  # noqa: E402


def main():
    torch.set_num_threads(1)
    saved = torch.load(sys.argv[3])
    net = Net(saved["hidden"])
    net.load_state_dict(saved["weights"])
    os.makedirs(sys.argv[2], exist_ok=True)
    cache = sys.argv[1] + "/features"
    os.makedirs(cache, exist_ok=True)
    for f in sorted(glob.glob(sys.argv[1] + "/*.raw")):
        name = os.path.basename(f)
        kept = f"{cache}/{name}.npy"
        if not os.path.exists(kept):
            np.save(kept, features(np.fromfile(f, "<i2").astype(np.float32) / 32768))
        with torch.no_grad():
            p = torch.sigmoid(net(torch.tensor(np.load(kept))[None])[0]).numpy()
        p.astype("<f4").tofile(f"{sys.argv[2]}/{name}.f32")


if __name__ == "__main__":
    main()

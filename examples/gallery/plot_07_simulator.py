"""
Is the simulator any good?
==========================

A generator makes handwritten digits. Do they look like real ones, and which of them do not? Train
a classifier of real against generated images, the critic, and certify what it found.
"""

# %%
# Our generator is a mixture of 40 Gaussians in the space of the 20 leading principal components: a
# stand-in for a GAN, a simulator of particle collisions, or synthetic patient records. It has seen
# one half of the digits; the other half is compared with it.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from rocstar import ArctanRatio, certify

digits = np.random.default_rng(0).permutation(load_digits().data)
seen, real = digits[:900], digits[900:]


def generated(components):
    space = PCA(components, random_state=0).fit(seen)
    mixture = GaussianMixture(40, covariance_type="full", reg_covar=0.5, random_state=0)
    points, _ = mixture.fit(space.transform(seen)).sample(len(real))
    return np.clip(space.inverse_transform(points), 0, 16).round()


# %%
# The critic is a kernel estimate of the density ratio. Total variation has a plain reading here:
# the share of the images that would have to be replaced before *no* classifier could tell them
# from real ones.

critic = ArctanRatio("rbf", alpha=1e-3, random_state=0)
y = np.repeat([1, 0], len(real))
verdicts, images = {}, {}
for components in (5, 10, 20, 40):
    images[components] = np.concatenate([real, generated(components)])
    verdicts[components] = certify(critic, images[components], y, random_state=0)
    print(f"{components:>2} components: total variation {verdicts[components].tv}")

control = certify(critic, digits[:1796], np.repeat([1, 0], 898), random_state=0)
print(f"real against real: total variation {control.tv}")

# %%
# The lower bounds hold with 95 % confidence whatever the critic; a better critic could only raise
# them. The control is as important: between real and real images, no difference is certified.
#
# Held-out angles say which images gave the generator away. 0 means fake, π/2 means real.

best = min(verdicts, key=lambda components: verdicts[components].tv.value)
result, rows = verdicts[best], images[best]
order = np.argsort(result.angle)
fakes, reals = order[y[order] == 0], order[y[order] == 1]
figure = plt.figure(figsize=(10, 5), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[1, 1.6])
ax = left.subplots()
tv = [*(verdicts[c].tv for c in verdicts), control.tv]
place = np.arange(len(tv))
ax.bar(place, [t.low for t in tv], color="#0f766e", label="certified")
ax.bar(
    place,
    [t.value - t.low for t in tv],
    bottom=[t.low for t in tv],
    color="#0f766e",
    alpha=0.3,
    label="estimate",
)
ax.set(xticks=place, xticklabels=[*verdicts, "real"], xlabel="components of the generator")
ax.set(ylabel="total variation", ylim=(0, 1))
ax.legend()
shown = {
    "fakes that are caught": fakes[:12],
    "fakes that pass": fakes[-12:],
    "reals that look real": reals[-12:],
}
for (name, chosen), ax in zip(shown.items(), right.subplots(3, 1), strict=True):
    strip = np.pad(rows[chosen].reshape(2, 6, 8, 8), [(0, 0), (0, 0), (1, 1), (1, 1)])
    ax.imshow(strip.transpose(0, 2, 1, 3).reshape(20, 60), cmap="gray_r", vmin=0, vmax=16)
    ax.set(xticks=[], yticks=[], title=name)
    ax.spines[:].set_visible(False)
plt.show()

"""What a channel gives for a crowd instead of for one cell: the probability of every code, without the full table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.channels import GRR, Channel, LocalHash, Parity
from sottovoce.channels.exact import SCALE


def code_probabilities(channel: Channel, frequencies: NDArray[Any]) -> Floats:
    """Return how likely each code is when the cell is drawn with these frequencies; they add up to one.

    The frequencies of cells are the last axis; there may be others before it, except for local hashing.

    Example:
        >>> from decimal import Decimal
        >>> channel = GRR.design(4, Decimal(1))
        >>> bool(np.allclose(code_probabilities(channel, np.array([0, 1, 0, 0])), channel.probabilities()[1]))
        True
    """
    if isinstance(channel, GRR):
        mixed = _respond(channel, np.asarray(frequencies, dtype=np.float64))
    elif isinstance(channel, Parity):
        order = np.argsort(channel.parities(np.arange(channel.cells)), kind="stable")
        together = np.asarray(frequencies, dtype=np.float64)[..., order]
        mixed = _respond(channel.response, together.reshape(*together.shape[:-1], channel.codes, -1).sum(axis=-1))
    elif isinstance(channel, LocalHash):
        mixed = _respond(channel.response, hash_probabilities(channel, frequencies)).ravel() / channel.vectors
    else:
        mixed = np.asarray(frequencies @ channel.probabilities())
    return np.asarray(mixed / mixed.sum(axis=-1, keepdims=True))


def _respond(response: GRR, frequencies: Floats) -> Floats:
    # floats first: numpy 2.1 makes objects of integers beyond 63 bits in threads other than the main one
    other, more = float(response.other), float(response.keep - response.other)
    return (other + more * frequencies) / float(SCALE)


def hash_probabilities(channel: LocalHash, frequencies: NDArray[Any]) -> Floats:
    """Return the distribution of the hash value under every vector, vectors by values.

    The chance that ``<a, point>`` is y is a sum over characters of F_q, all read off one t-dimensional Fourier
    transform of the frequencies: the transpose of how supports are found.
    """
    prime, digits = channel.prime, channel.digits
    shape = (prime,) * digits
    placed = np.zeros(shape)
    placed[tuple(channel.coordinates())] = frequencies
    transform = np.fft.fftn(placed).ravel()
    vectors = np.array(np.unravel_index(np.arange(1, channel.vectors + 1), shape))
    characters = np.empty((channel.vectors, prime // 2 + 1), dtype=np.complex128)
    for k in range(prime // 2 + 1):
        characters[:, k] = transform[np.ravel_multi_index(tuple(k * vectors % prime), shape)]
    return np.clip(np.fft.irfft(characters, n=prime, axis=1), 0, 1)

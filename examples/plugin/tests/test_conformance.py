"""The conformance suite of Sottovoce on this package's channel and mechanism."""

from sottovoce_hadamard.channel import Hadamard

from sottovoce.testing import Promise, channel_suite, mechanism_suite

TestHadamard = channel_suite("hadamard", Hadamard.design, sizes=(2, 3, 16, 64))
TestMarginals = mechanism_suite("marginals", Promise(additive=4, monotone=4))

"""Signed prices, exact and verified, and a simulator of their service."""

from .client import Candle, Client, ServiceError
from .mock import Server, Session, start
from .verify import Price, PricesRejected, Verdict, check, evm_message, keccak256, parse, recover, svm_message, verify

__all__ = [
    "Candle",
    "Client",
    "Price",
    "PricesRejected",
    "Server",
    "ServiceError",
    "Session",
    "Verdict",
    "check",
    "evm_message",
    "keccak256",
    "parse",
    "recover",
    "start",
    "svm_message",
    "verify",
]

"""Kombu's Redis transport with one fault mended: a lost acknowledgement does not stop its worker."""

from __future__ import annotations

from kombu.transport import redis, virtual


class AcknowledgingQoS(redis.QoS):
    """Counts a message as done even if Redis could not be told.

    Kombu would count it as under way for ever: a worker that takes one at a time then takes none, and as it
    never reads from the broken connection, it never opens another. Redis redelivers the message after an
    hour, and a job may run twice.
    """

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise


def transport_mend() -> None:
    redis.Channel.QoS = AcknowledgingQoS

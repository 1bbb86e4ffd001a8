"""Reads the card of an agent with the official Python SDK, as a client of 1.0 and of 0.3: prints what it parsed as JSON.

python a2a_card.py BASE_URL KEY
"""

import asyncio
import json
import sys

import httpx
from a2a.client.card_resolver import A2ACardResolver
from a2a.client.client_factory import ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import GetExtendedAgentCardRequest
from google.protobuf.json_format import MessageToDict


def requirement(card):
    parsed = MessageToDict(card)
    return {
        'schemes': parsed.get('securitySchemes'),
        'requirements': [list(one['schemes']) for one in parsed.get('securityRequirements', [])],
    }


async def main(base: str, key: str) -> None:
    report = {}
    headers = {'Authorization': f'Bearer {key}'}
    async with httpx.AsyncClient(headers=headers) as http:
        for version in (None, '1.0', '0.3'):
            kwargs = {'headers': {'A2A-Version': version}} if version else {}
            card = await A2ACardResolver(http, base).get_agent_card(http_kwargs=kwargs)
            report[version or 'default'] = requirement(card)
        card.supported_interfaces[0].protocol_binding = 'HTTP+JSON'
        legacy = ClientFactory(
            ClientConfig(httpx_client=http, supported_protocol_bindings=['HTTP+JSON'])
        ).create(card)
        report['0.3 extended'] = requirement(await legacy.get_extended_agent_card(GetExtendedAgentCardRequest()))
    json.dump(report, sys.stdout)


asyncio.run(main(*sys.argv[1:]))

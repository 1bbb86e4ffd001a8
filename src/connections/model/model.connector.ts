import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { InvalidField } from '../../platform/errors/problem.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import {
  ConnectorRegistry,
  type ConnectionContext,
  type Connector,
  type Verification,
} from '../connector-registry.service.js';
import { isDecimal } from './cost.js';
import { modelEndpointOf, modelHeadersOf, type ModelEndpoint } from './model-endpoint.js';

const providers = ['openai-compatible', 'anthropic', 'local'] as const;

/** A language model behind an API. Verified by listing its models, which costs nothing. */
@Injectable()
export class ModelConnector implements Connector, OnModuleInit {
  readonly id = 'model';
  readonly title = 'Language model';
  readonly about = 'Anthropic, OpenAI and everybody who speaks like it, or a server of your own.';
  readonly setUp =
    'Choose "anthropic" for the Anthropic API, "openai-compatible" for OpenAI and everybody who speaks its chat completions, and "local" for a server of your own (Ollama, vLLM, llama.cpp), ' +
    'whose address the operator has to allow. Make a key of its own for this purpose, with a limit at the provider as well. With prices, costs per task are shown and a monthly cap can be set.';
  readonly offers = ['model'] as const;
  readonly fields = [
    {
      name: 'provider',
      label: 'Provider',
      type: 'choice',
      required: true,
      help: 'Which protocol it speaks.',
      options: providers,
      isTarget: true,
    },
    {
      name: 'baseUrl',
      label: 'Address',
      type: 'url',
      required: false,
      help: 'Up to and with the version, such as https://api.openai.com/v1. Not needed for anthropic.',
    },
    { name: 'model', label: 'Model', type: 'text', required: true, help: 'As the provider writes it.' },
    { name: 'apiKey', label: 'API key', type: 'secret', required: false, help: 'A local server may need none.' },
    {
      name: 'inputPrice',
      label: 'Price of a million input tokens',
      type: 'text',
      required: false,
      help: 'A decimal number such as 0.25.',
    },
    {
      name: 'outputPrice',
      label: 'Price of a million output tokens',
      type: 'text',
      required: false,
      help: 'In the same currency.',
    },
    { name: 'currency', label: 'Currency', type: 'text', required: false, help: 'Three letters; USD when empty.' },
    {
      name: 'monthlyCap',
      label: 'Monthly cap',
      type: 'text',
      required: false,
      help: 'When a month (UTC) has cost so much, no further turn is started. Needs both prices.',
    },
  ] as const satisfies Connector['fields'];

  constructor(private readonly connectors: ConnectorRegistry) {}

  onModuleInit(): void {
    this.connectors.register(this);
  }

  check(settings: Record<string, unknown>): InvalidField[] {
    const faults: InvalidField[] = [];
    const fault = (name: string, detail: string) => void faults.push({ pointer: `/settings/${name}`, detail });
    if (settings.provider !== 'anthropic' && !settings.baseUrl) fault('baseUrl', 'the address is needed');
    for (const name of ['inputPrice', 'outputPrice', 'monthlyCap']) {
      if (settings[name] !== undefined && !isDecimal(settings[name]))
        fault(name, 'is a decimal number such as 0.25, with at most six decimals');
    }
    if (!settings.inputPrice !== !settings.outputPrice)
      fault(settings.inputPrice ? 'outputPrice' : 'inputPrice', 'is needed when the other price is given');
    if (settings.monthlyCap && !settings.inputPrice) fault('monthlyCap', 'needs both prices');
    if (settings.currency !== undefined && !/^[A-Z]{3}$/.test(String(settings.currency)))
      fault('currency', 'is three capital letters');
    return faults;
  }

  async verify({ settings, secret, outgoing, signal }: ConnectionContext): Promise<Verification> {
    const endpoint = modelEndpointOf(settings, secret('apiKey'));
    if (!endpoint.apiKey && settings.provider !== 'local')
      return { status: 'failed', reason: 'There is no API key. Enter one.' };
    try {
      const response = await outgoing.fetch(`${endpoint.baseUrl}/models`, {
        headers: modelHeadersOf(endpoint),
        signal,
        maxBytes: 5_000_000,
      });
      return await toVerification(response, endpoint);
    } catch (error) {
      if (error instanceof OutboundHttpError) return { status: 'failed', reason: `${capitalize(error.message)}.` };
      throw error;
    }
  }
}

async function toVerification(response: Response, { model }: ModelEndpoint): Promise<Verification> {
  const failed = (reason: string): Verification => ({ status: 'failed', reason });
  const limited = (reason: string): Verification => ({ status: 'limited', reason });
  if (response.status === 401) return failed('The provider does not accept the key (401). Enter a valid one.');
  if (response.status === 403)
    return failed(
      'The provider knows the key but does not permit its use (403). Check its rights and the state of the account.',
    );
  if (response.status === 404)
    return limited(
      'The provider has no list of models (404), so neither the key nor the name of the model could be checked without cost. Check that the address ends with the version, such as /v1.',
    );
  if (response.status === 429)
    return limited('The provider refuses at the moment because of too many requests or a used-up balance (429).');
  if (!response.ok) return failed(`The provider answered with ${response.status}. It is tried again later.`);
  const names = parseModelIds(await response.text());
  if (!names)
    return failed(
      'Something else than a model API answers at this address. Check that it ends with the version, such as /v1.',
    );
  if (names.length && !names.includes(model)) {
    return limited(
      `The key works, but the provider’s list does not hold "${model}". It holds: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}.`,
    );
  }
  return { status: 'connected' };
}

/** The ids in a list of models; null when it is none. */
export function parseModelIds(text: string): string[] | null {
  try {
    const { data } = JSON.parse(text) as { data?: unknown };
    if (!Array.isArray(data)) return null;
    return data.flatMap((entry: { id?: unknown } | null) => (typeof entry?.id === 'string' ? [entry.id] : []));
  } catch {
    return null;
  }
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

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

/** A language model behind an API. Verification lists its models, which is free. */
@Injectable()
export class ModelConnector implements Connector, OnModuleInit {
  readonly id = 'model';
  readonly title = 'Language model';
  readonly about = 'Anthropic, OpenAI and compatible APIs, or your own server.';
  readonly setUp =
    'Choose "Anthropic" for the Anthropic API, "OpenAI-compatible" for OpenAI and other APIs with its chat completions, and "Local server" for your own server (Ollama, vLLM, llama.cpp), ' +
    'whose address the operator must allow. Create a separate API key for Countersign, with a spending limit at the provider. Enter prices to see the cost per task and to set a monthly cap.';
  readonly offers = ['model'] as const;
  readonly fields = [
    {
      name: 'provider',
      label: 'Provider',
      type: 'choice',
      required: true,
      help: 'The API protocol of the model.',
      options: providers,
      optionLabels: ['OpenAI-compatible', 'Anthropic', 'Local server'],
      isTarget: true,
    },
    {
      name: 'baseUrl',
      label: 'Address',
      type: 'url',
      required: false,
      help: 'Including the version, such as https://api.openai.com/v1. Not needed for Anthropic.',
    },
    { name: 'model', label: 'Model', type: 'text', required: true, help: 'The model id that the provider uses.' },
    { name: 'apiKey', label: 'API key', type: 'secret', required: false, help: 'Optional for a local server.' },
    {
      name: 'inputPrice',
      label: 'Price per million input tokens',
      type: 'text',
      required: false,
      help: 'A decimal number such as 0.25.',
    },
    {
      name: 'outputPrice',
      label: 'Price per million output tokens',
      type: 'text',
      required: false,
      help: 'In the same currency.',
    },
    { name: 'currency', label: 'Currency', type: 'text', required: false, help: 'Three-letter code. Default: USD.' },
    {
      name: 'monthlyCap',
      label: 'Monthly cap',
      type: 'text',
      required: false,
      help: 'No further turns start once the month’s cost (UTC) reaches this amount. Requires both prices.',
    },
  ] as const satisfies Connector['fields'];

  constructor(private readonly connectors: ConnectorRegistry) {}

  onModuleInit(): void {
    this.connectors.register(this);
  }

  check(settings: Record<string, unknown>): InvalidField[] {
    const faults: InvalidField[] = [];
    const fault = (name: string, detail: string) => void faults.push({ pointer: `/settings/${name}`, detail });
    if (settings.provider !== 'anthropic' && !settings.baseUrl) fault('baseUrl', 'is required');
    for (const name of ['inputPrice', 'outputPrice', 'monthlyCap']) {
      if (settings[name] !== undefined && !isDecimal(settings[name]))
        fault(name, 'must be a decimal number such as 0.25, with at most six decimals');
    }
    if (!settings.inputPrice !== !settings.outputPrice)
      fault(settings.inputPrice ? 'outputPrice' : 'inputPrice', 'is required if the other price is set');
    if (settings.monthlyCap && !settings.inputPrice) fault('monthlyCap', 'requires both prices');
    if (settings.currency !== undefined && !/^[A-Z]{3}$/.test(String(settings.currency)))
      fault('currency', 'must be three capital letters');
    return faults;
  }

  async verify({ settings, secret, outgoing, signal }: ConnectionContext): Promise<Verification> {
    const endpoint = modelEndpointOf(settings, secret('apiKey'));
    if (!endpoint.apiKey && settings.provider !== 'local')
      return { status: 'failed', reason: 'The API key is missing. Enter one.' };
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
  if (response.status === 401) return failed('The provider rejected the API key (401). Enter a valid one.');
  if (response.status === 403)
    return failed(
      'The provider accepts the API key but denies access (403). Check its permissions and the status of the account.',
    );
  if (response.status === 404)
    return limited(
      'The provider has no list of models (404), so the API key and the model name could not be checked without cost. Check that the address ends with the version, such as /v1.',
    );
  if (response.status === 429)
    return limited(
      'The provider rejects requests because of a rate limit or an exhausted balance (429). Try again later or check the balance.',
    );
  if (!response.ok) return failed(`The provider returned status ${response.status}. Verification is retried later.`);
  const names = parseModelIds(await response.text());
  if (!names) return failed('This address is not a model API. Check that it ends with the version, such as /v1.');
  if (names.length && !names.includes(model)) {
    return limited(
      `The API key works, but the provider does not list the model "${model}". Available: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}.`,
    );
  }
  return { status: 'connected' };
}

/** The ids in a list of models; null if the text is not such a list. */
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

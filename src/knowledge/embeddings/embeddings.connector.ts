import type { InvalidField } from '../../platform/errors/problem.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import type { ConnectionContext, Connector, Verification } from '../../connections/connector-registry.service.js';
import { EmbeddingError, type EmbeddingEndpoint, requestEmbeddings } from './embedding-client.js';

export const embeddingsConnectorId = 'embeddings';

/** A model that computes vectors of text, so that search also finds passages that use other words. */
export const embeddingsConnector: Connector = {
  id: embeddingsConnectorId,
  title: 'Embedding model',
  about: 'Search by meaning: OpenAI and compatible embedding APIs, or your own server.',
  setUp:
    'All passages of your documents and all searches are sent to this provider. Use an API with the path /embeddings of OpenAI (OpenAI, Mistral, Voyage, vLLM, Ollama, llama.cpp). ' +
    'Create a separate API key for Countersign, with a spending limit at the provider. Until the first passages have vectors, search uses words alone. ' +
    'If you change the model, the dimensions or the passage prefix, all vectors are computed again. Pause the integration to search by words alone.',
  offers: ['embeddings'],
  fields: [
    {
      name: 'baseUrl',
      label: 'Address',
      type: 'url',
      required: true,
      help: 'Include the version, such as https://api.openai.com/v1.',
    },
    { name: 'model', label: 'Model', type: 'text', required: true, help: 'The model ID of the provider.' },
    { name: 'apiKey', label: 'API key', type: 'secret', required: false, help: 'Optional for a local server.' },
    {
      name: 'dimensions',
      label: 'Dimensions',
      type: 'number',
      required: false,
      help: 'Only for models that can shorten their vectors. Default: the full length.',
    },
    {
      name: 'passagePrefix',
      label: 'Passage prefix',
      type: 'text',
      required: false,
      help: 'Required by some models, such as "passage: ".',
    },
    {
      name: 'queryPrefix',
      label: 'Query prefix',
      type: 'text',
      required: false,
      help: 'Required by some models, such as "query: ".',
    },
    {
      name: 'encoding',
      label: 'Encoding',
      type: 'choice',
      required: false,
      options: ['base64', 'float'],
      optionLabels: ['Base64 (smaller)', 'Numbers'],
      help: 'Choose "Numbers" if the server does not support Base64. Default: Base64.',
    },
    {
      name: 'requestsPerMinute',
      label: 'Requests per minute',
      type: 'number',
      required: false,
      help: 'A request has up to 64 passages. Default: 300.',
    },
    {
      name: 'monthlyTokens',
      label: 'Tokens per month',
      type: 'number',
      required: false,
      help: 'When this month’s usage (UTC) reaches the limit, no more passages or searches are sent.',
    },
  ],
  check: checkSettings,
  verify,
};

export function embeddingEndpointOf(settings: Record<string, unknown>, apiKey: string | undefined): EmbeddingEndpoint {
  return {
    baseUrl: String(settings.baseUrl).replace(/\/+$/, ''),
    ...(apiKey && { apiKey }),
    model: String(settings.model),
    dimensions: numberOf(settings.dimensions),
    encoding: settings.encoding === 'float' ? 'float' : 'base64',
  };
}

export const numberOf = (value: unknown): number | null =>
  value === undefined || value === null || value === '' ? null : Number(value);

function checkSettings(settings: Record<string, unknown>): InvalidField[] {
  const limits = { dimensions: 8192, requestsPerMinute: 100_000, monthlyTokens: 10 ** 12 };
  return Object.entries(limits).flatMap(([name, most]) => {
    const value = numberOf(settings[name]);
    const isValid = value === null || (Number.isInteger(value) && value >= 1 && value <= most);
    return isValid ? [] : [{ pointer: `/settings/${name}`, detail: `must be a whole number from 1 to ${most}` }];
  });
}

/** Embeds one word. This costs almost nothing and checks key, model and dimensions. */
async function verify({ settings, secret, outgoing, signal }: ConnectionContext): Promise<Verification> {
  const endpoint = embeddingEndpointOf(settings, secret('apiKey'));
  const failed = (reason: string): Verification => ({ status: 'failed', reason });
  try {
    const { vectors } = await requestEmbeddings(endpoint, ['test'], (url, init) =>
      outgoing.fetch(url, { ...init, signal }),
    );
    if (endpoint.dimensions !== null && vectors[0].length !== endpoint.dimensions)
      return failed(
        `The model returns ${vectors[0].length} dimensions instead of ${endpoint.dimensions}. Clear the field "Dimensions".`,
      );
    return { status: 'connected' };
  } catch (error) {
    if (error instanceof EmbeddingError) return failedVerification(error, endpoint);
    if (error instanceof OutboundHttpError)
      return failed(`${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
    throw error;
  }
}

function failedVerification({ status, message }: EmbeddingError, { model }: EmbeddingEndpoint): Verification {
  if (status === 401 || status === 403)
    return { status: 'failed', reason: `The provider rejected the API key (${status}). Enter a valid one.` };
  if (status === 404)
    return {
      status: 'failed',
      reason: `The provider has no path /embeddings or no model "${model}" (404). Check the model and the address, which ends with the version.`,
    };
  if (status === 429)
    return {
      status: 'limited',
      reason:
        'The provider rejected the request because of a rate limit or an exhausted balance (429). Try again later.',
    };
  return { status: 'failed', reason: message };
}

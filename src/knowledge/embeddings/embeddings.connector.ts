import type { InvalidField } from '../../platform/errors/problem.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import type { ConnectionContext, Connector, Verification } from '../../connections/connector-registry.service.js';
import { EmbeddingError, type EmbeddingEndpoint, requestEmbeddings } from './embedding-client.js';

export const embeddingsConnectorId = 'embeddings';

/** A model that turns text into vectors, so that search also finds passages that say the same in other words. */
export const embeddingsConnector: Connector = {
  id: embeddingsConnectorId,
  title: 'Embedding model',
  about: 'Search by meaning: OpenAI and compatible embedding APIs, or your own server.',
  setUp:
    'All passages of your documents and all searches are sent to this provider. Use an API with the path /embeddings of OpenAI (OpenAI, Mistral, Voyage, vLLM, Ollama, llama.cpp). ' +
    'Create a separate API key for Countersign, with a spending limit at the provider. Search uses words alone until the first passages have vectors. ' +
    'A change of model, dimensions or passage prefix computes all vectors again. Pause the connection to search by words alone.',
  offers: ['embeddings'],
  fields: [
    {
      name: 'baseUrl',
      label: 'Address',
      type: 'url',
      required: true,
      help: 'Including the version, such as https://api.openai.com/v1.',
    },
    { name: 'model', label: 'Model', type: 'text', required: true, help: 'The model id that the provider uses.' },
    { name: 'apiKey', label: 'API key', type: 'secret', required: false, help: 'Optional for a local server.' },
    {
      name: 'dimensions',
      label: 'Dimensions',
      type: 'number',
      required: false,
      help: 'Only for models that can shorten their vectors. Default: what the model returns.',
    },
    {
      name: 'passagePrefix',
      label: 'Prefix of passages',
      type: 'text',
      required: false,
      help: 'Some models need one, such as "passage: ".',
    },
    {
      name: 'queryPrefix',
      label: 'Prefix of questions',
      type: 'text',
      required: false,
      help: 'Some models need one, such as "query: ".',
    },
    {
      name: 'encoding',
      label: 'Encoding',
      type: 'choice',
      required: false,
      options: ['base64', 'float'],
      optionLabels: ['Base64 (smaller)', 'Numbers'],
      help: 'Choose "Numbers" if the server does not know Base64. Default: Base64.',
    },
    {
      name: 'requestsPerMinute',
      label: 'Requests per minute',
      type: 'number',
      required: false,
      help: 'For passages, 64 in a request. Default: 300.',
    },
    {
      name: 'monthlyTokens',
      label: 'Tokens per month',
      type: 'number',
      required: false,
      help: 'Neither passages nor questions are sent any more once the month’s tokens (UTC) reach this number.',
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

/** Embeds one word, which costs next to nothing and shows that key, model and dimensions fit. */
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
      reason: `The provider does not know the path /embeddings or the model "${model}" (404). Check the address, which ends with the version, and the model.`,
    };
  if (status === 429)
    return {
      status: 'limited',
      reason: 'The provider rejects requests because of a rate limit or an exhausted balance (429). Try again later.',
    };
  return { status: 'failed', reason: message };
}

export interface ModelEndpoint {
  provider: 'openai-compatible' | 'anthropic';
  /** Without a trailing slash. */
  baseUrl: string;
  model: string;
  apiKey?: string;
}

const anthropicUrl = 'https://api.anthropic.com/v1';

export function modelEndpointOf(settings: Record<string, unknown>, apiKey: string | undefined): ModelEndpoint {
  const isAnthropic = settings.provider === 'anthropic';
  const baseUrl = String(settings.baseUrl ?? anthropicUrl).replace(/\/+$/, '');
  return {
    provider: isAnthropic ? 'anthropic' : 'openai-compatible',
    baseUrl,
    model: String(settings.model),
    ...(apiKey && { apiKey }),
  };
}

export function modelHeadersOf({ provider, apiKey }: ModelEndpoint): Record<string, string> {
  if (!apiKey) return {};
  return provider === 'anthropic'
    ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
    : { authorization: `Bearer ${apiKey}` };
}

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { LanguageModel as Endpoint } from '../../connections/models.service.js';

// the SDK would print warnings to the console instead of the log
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Creates the SDK model of an endpoint. All requests use the endpoint's own `fetch`. */
export function vendorModel({ provider, baseUrl, apiKey, model, fetch }: Endpoint): LanguageModel {
  if (provider === 'anthropic') return createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? '', fetch })(model);
  return createOpenAICompatible({ name: 'model', baseURL: baseUrl, apiKey, fetch, includeUsage: true }).chatModel(
    model,
  );
}

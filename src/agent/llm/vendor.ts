import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { LanguageModel as Endpoint } from '../../connections/models.service.js';

// they would go to the console, past the log
globalThis.AI_SDK_LOG_WARNINGS = false;

/** The SDK's side of an endpoint; its requests leave by the endpoint's own fetch and no other way. */
export function vendorModel({ provider, baseUrl, apiKey, model, fetch }: Endpoint): LanguageModel {
  if (provider === 'anthropic') return createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? '', fetch })(model);
  return createOpenAICompatible({ name: 'model', baseURL: baseUrl, apiKey, fetch, includeUsage: true }).chatModel(
    model,
  );
}

import { describe, expect, it } from 'vitest';
import { Config } from '../../platform/config/config.js';
import { ProtectedResourcesService } from './protected-resources.service.js';

const at = (BASE_URL: string) => new ProtectedResourcesService(Config.from({ BASE_URL }));

describe('a protected resource', () => {
  it('has its metadata at the well-known URL derived from its address', () => {
    expect(at('https://gateway.example').metadataAddress('mcp')).toBe(
      'https://gateway.example/.well-known/oauth-protected-resource/v1/mcp',
    );
    expect(at('https://example.com/gateway').metadataAddress('api')).toBe(
      'https://example.com/.well-known/oauth-protected-resource/gateway/v1',
    );
  });

  it('is found with and without the path of the base URL', () => {
    const resources = at('https://example.com/gateway');
    expect(resources.find('/gateway/v1')).toBe('api');
    expect(resources.find('/v1')).toBe('api');
    expect(resources.find('/gateway/v1/mcp')).toBe('mcp');
    expect(resources.find('/elsewhere/v1')).toBeNull();
    expect(resources.find('/')).toBeNull();
  });

  it('names the metadata URL and the error in its challenge', () => {
    const resources = at('https://gateway.example');
    const place = 'resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/v1"';
    expect(resources.challenge('api')).toBe(`Bearer realm="countersign", scope="api:read", ${place}`);
    expect(resources.challenge('api', { error: 'insufficient_scope', scope: 'api:write' })).toBe(
      `Bearer realm="countersign", error="insufficient_scope", scope="api:write", ${place}`,
    );
  });
});

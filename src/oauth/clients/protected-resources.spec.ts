import { describe, expect, it } from 'vitest';
import { Config } from '../../platform/config/config.js';
import { ProtectedResourcesService } from './protected-resources.service.js';

const at = (BASE_URL: string) => new ProtectedResourcesService(Config.from({ BASE_URL }));

describe('a protected resource', () => {
  it('has its metadata at the well-known URL derived from its address', () => {
    expect(at('https://door.example').metadataAddress('mcp')).toBe(
      'https://door.example/.well-known/oauth-protected-resource/v1/mcp',
    );
    expect(at('https://example.com/door').metadataAddress('api')).toBe(
      'https://example.com/.well-known/oauth-protected-resource/door/v1',
    );
  });

  it('is found with and without the path of the base URL', () => {
    const resources = at('https://example.com/door');
    expect(resources.find('/door/v1')).toBe('api');
    expect(resources.find('/v1')).toBe('api');
    expect(resources.find('/door/v1/mcp')).toBe('mcp');
    expect(resources.find('/elsewhere/v1')).toBeNull();
    expect(resources.find('/')).toBeNull();
  });

  it('names the metadata URL and the error in its challenge', () => {
    const resources = at('https://door.example');
    const place = 'resource_metadata="https://door.example/.well-known/oauth-protected-resource/v1"';
    expect(resources.challenge('api')).toBe(`Bearer realm="countersign", scope="api:read", ${place}`);
    expect(resources.challenge('api', { error: 'insufficient_scope', scope: 'api:write' })).toBe(
      `Bearer realm="countersign", error="insufficient_scope", scope="api:write", ${place}`,
    );
  });
});

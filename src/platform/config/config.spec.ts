import { describe, expect, it } from 'vitest';
import { Config, ConfigError } from './config.js';

describe('the configuration', () => {
  it('has a default for every setting', () => {
    expect(Config.from({})).toMatchObject({
      port: 8080,
      baseUrl: 'http://127.0.0.1:8080',
      a2aUrl: 'http://127.0.0.1:8080',
      role: 'all',
    });
  });

  it('reports all problems at once', () => {
    const wrong = {
      PORT: 'eighty',
      MASTER_KEYS: 'short',
      ALLOW_PRIVATE_NETWORKS: '10.0.0.0/99',
      STDIO_COMMANDS: '[{"name":"UP"}]',
      ROLE: 'king',
    };
    expect(
      problemsOf(wrong)
        .map((problem) => problem.split(':')[0].split('.')[0])
        .sort(),
    ).toEqual(expect.arrayContaining(['ALLOW_PRIVATE_NETWORKS', 'MASTER_KEYS', 'PORT', 'ROLE', 'STDIO_COMMANDS']));
  });

  it('rejects settings that contradict each other', () => {
    expect(problemsOf({ ROLE: 'worker' })).toHaveLength(2);
  });

  it('uses the actual port in the base URL when the port is chosen at start', () => {
    const config = Config.from({ PORT: '0' });
    config.setListeningPort(5000);
    expect(config.baseUrl).toBe('http://127.0.0.1:5000');
  });
});

function problemsOf(environment: Record<string, string>): string[] {
  try {
    Config.from(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

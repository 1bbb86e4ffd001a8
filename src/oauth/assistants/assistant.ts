/** An assistant that people connect by themselves: what its client is registered with, and how a person sets it up. */
export interface Assistant {
  id: string;
  name: string;
  /** Which of the things of that name. */
  hint?: string;
  /** Runs on the person's own machine, and is called back there. */
  isNative: boolean;
  /** Where it wants people sent back to; compared character by character, ports included. */
  redirectUris(address: string): string[];
  /** Why it could not reach a server at this address; null, nothing is known to be in its way. */
  obstacle?(address: string): string | null;
  steps(reach: AssistantTarget): SetupStep[];
}

export interface AssistantTarget {
  /** Of MCP; the same for all configurations, the client says which one is meant. */
  address: string;
  clientId: string;
  /** What the assistant calls the server: letters, digits and hyphens. */
  serverName: string;
}

export interface SetupStep {
  say: string;
  /** To be copied as it is. */
  paste?: string;
}

/** Settings as people keep them in a file. */
export const formatJson = (settings: object): string => JSON.stringify(settings, null, 2);

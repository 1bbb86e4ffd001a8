/** An assistant that people connect themselves: the registration of its client and its setup steps. */
export interface Assistant {
  id: string;
  name: string;
  /** Distinguishes products with the same name. */
  hint?: string;
  /** Runs on the person's own machine and uses a loopback redirect URI. */
  isNative: boolean;
  /** Compared character by character, including ports. */
  redirectUris(address: string): string[];
  /** Why the assistant cannot reach a server at this address; null if no obstacle is known. */
  obstacle?(address: string): string | null;
  steps(reach: AssistantTarget): SetupStep[];
}

export interface AssistantTarget {
  /** The MCP URL. It is the same for all configurations; the client id selects the configuration. */
  address: string;
  clientId: string;
  /** The name of the server in the assistant: letters, digits and hyphens. */
  serverName: string;
}

export interface SetupStep {
  say: string;
  /** Text to copy without changes. */
  paste?: string;
}

/** Formats settings for a file. */
export const formatJson = (settings: object): string => JSON.stringify(settings, null, 2);

/* What the server answers below `/cli`; its OpenAPI description is at `/cli/openapi.json`. */

export interface ServerVersion {
  name: string;
  version: string;
  protocol: { oldest: number; newest: number };
  time: string;
}

export interface Terminal {
  member: { id: string; name: string; email: string };
  organization: { id: string; name: string; slug: string };
  device: { id: string; program: string | null; connectedAt: string; expiresAt: string };
  scopes: string[];
  serverVersion: string;
}

export interface UsableConfiguration {
  id: string;
  name: string;
  description: string;
  isPaused: boolean;
  createdAt: string;
}

interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  connection: string;
  effect: 'read' | 'write' | 'destructive';
  needsApproval: boolean;
  inputSchema: JsonSchema;
}

export interface ToolResultContent {
  type: string;
  text?: string;
  mimeType?: string;
  uri?: string;
}

export interface ToolCall {
  id: string;
  configuration: string;
  tool: string;
  state: 'awaiting_approval' | 'executing' | 'succeeded' | 'denied' | 'failed' | 'unsettled';
  replayed: boolean;
  approval: { id: string; expiresAt: string; notFourEyes: boolean } | null;
  error: { code: string; detail: string } | null;
  result: { content: ToolResultContent[]; structured: unknown; url: string | null } | null;
  edit: { editedBy: string[]; arguments: Record<string, unknown> } | null;
}

export interface ArtifactPart {
  text?: string;
  data?: unknown;
  raw?: string;
  url?: string;
  mediaType?: string;
  filename?: string;
}

export interface Citation {
  n: number;
  title: string;
  source: string;
  position: string;
  url: string | null;
}

export interface Artifact {
  artifactId: string;
  name: string;
  description?: string;
  parts: ArtifactPart[];
}

export interface TaskStatus {
  state: 'submitted' | 'working' | 'input-required' | 'completed' | 'failed' | 'canceled' | 'rejected';
  timestamp: string;
  message?: { role: 'agent'; parts: { text: string }[] };
  metadata?: { reason?: string; approvalId?: string; tool?: string; expiresAt?: string; missing?: string[] };
  error?: { code: string; detail: string; callId?: string };
}

export interface Task {
  id: string;
  configuration: string;
  status: TaskStatus;
  artifacts: Artifact[] | null;
  createdAt: string;
  updatedAt: string;
}

export interface TaskUpdate {
  id: string;
  status: TaskStatus;
  artifacts: Artifact[] | null;
  final: boolean;
}

export interface Passage {
  n: number;
  title: string;
  url: string | null;
  source: string;
  container: string | null;
  author: string | null;
  position: string;
  heading: string;
  snippet: string;
  updatedAt: string | null;
  duplicates: { title: string; source: string }[];
}

export interface LinkedPassage extends Passage {
  /** The number of the passage that names the document. */
  namedIn: number;
}

export interface SearchResult {
  callId: string;
  passages: Passage[];
  linked: LinkedPassage[];
  sources: number;
  documents: number;
}

export interface WaitingApproval {
  id: string;
  callId: string;
  tool: string;
  step: string;
  url: string;
  requestedAt: string;
  expiresAt: string;
}

import { approvalNote, approvalUrl } from '../client/call-waiter.js';
import type { ServerClient } from '../client/server-client.js';
import type { TaskStatus } from '../client/wire.js';
import type { Output } from '../terminal/output.js';
import { plainText } from '../terminal/plain-text.js';
import { Spinner } from '../terminal/spinner.js';
import { messageText } from './task-text.js';

export const approvalLink = (client: ServerClient, { metadata }: TaskStatus): string | null =>
  metadata?.approvalId ? approvalUrl(client, metadata.approvalId) : null;

/** What a task does while a person waits for it. Shows the link of each approval once. */
export class TaskProgress {
  private readonly spinner: Spinner;
  private shownLink: string | null = null;

  constructor(
    output: Output,
    private readonly client: ServerClient,
    explainInterrupt: () => void,
  ) {
    this.spinner = new Spinner(output, explainInterrupt);
  }

  show(status: TaskStatus): void {
    const link = approvalLink(this.client, status);
    if (link && link !== this.shownLink) this.spinner.note(approvalNote(status.metadata?.tool ?? 'A call', link));
    this.shownLink = link;
    this.spinner.show(progressText(status));
  }

  stop(): void {
    this.spinner.stop();
  }
}

function progressText(status: TaskStatus): string {
  const { state, metadata } = status;
  if (state !== 'input-required') return state === 'submitted' ? 'Submitted' : 'The agent works';
  if (metadata?.approvalId) return 'Waiting for a decision';
  return plainText(messageText(status)) || 'The task waits';
}

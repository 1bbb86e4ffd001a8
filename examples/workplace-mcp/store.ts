import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { seedChannels, seedMessages, seedTickets } from './seed.ts';

export const projects = ['LAN', 'MOS', 'TRN', 'FLD', 'SAF', 'OFF', 'REL'] as const;
export const priorities = ['low', 'normal', 'high', 'urgent'] as const;
export const statuses = ['open', 'in_progress', 'closed'] as const;

export interface Ticket {
  id: string;
  project: (typeof projects)[number];
  title: string;
  description: string;
  status: (typeof statuses)[number];
  priority: (typeof priorities)[number];
  reporter: string;
  assignee?: string;
  labels: string[];
  comments: { author: string; at: string; text: string }[];
  resolution?: string;
  createdAt: string;
  updatedAt: string;
}

export interface Message {
  id: number;
  channel: string;
  at: string;
  author: string;
  text: string;
}

/** A received call, recorded before the idempotency check: two arrivals with one key were sent twice. */
export interface Arrival {
  at: string;
  tool: string;
  arguments: unknown;
  key?: string;
}

type Change = { ticket: Ticket } | { message: Message };
type Entry = { arrival: Arrival } | (Change & { key?: string });

/**
 * Tickets and chat in a JSON Lines file. A change and its idempotency key are one line, so that a killed process has
 * either both or neither.
 */
export class Store {
  readonly tickets = new Map(seedTickets.map((ticket) => [ticket.id, ticket]));
  readonly messages = [...seedMessages];
  readonly channels = seedChannels;
  readonly arrivals: Arrival[] = [];
  private readonly changesByKey = new Map<string, Change>();
  private readonly file: string | undefined;

  constructor(file?: string) {
    this.file = file;
    if (!file || !existsSync(file)) return;
    const bytes = readFileSync(file);
    const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
    if (whole.length < bytes.length) truncateSync(file, whole.length); // a line that a killed process did not finish
    for (const line of whole.toString().split('\n')) if (line) this.apply(JSON.parse(line) as Entry);
  }

  arrive(tool: string, args: unknown, key?: string): void {
    this.write({ arrival: { at: new Date().toISOString(), tool, arguments: args, key } });
  }

  /** The earlier change with this key, if any. */
  doneBy(key: string | undefined): Change | undefined {
    return key === undefined ? undefined : this.changesByKey.get(key);
  }

  createTicket(
    draft: Pick<Ticket, 'project' | 'title' | 'description' | 'priority' | 'assignee' | 'labels'>,
    reporter: string,
    key?: string,
  ): Ticket {
    const now = new Date().toISOString();
    const id = this.nextTicketId(draft.project);
    return this.saveTicket(
      { id, ...draft, status: 'open', reporter, comments: [], createdAt: now, updatedAt: now },
      key,
    );
  }

  comment(ticket: Ticket, author: string, text: string, key?: string): Ticket {
    const at = new Date().toISOString();
    return this.saveTicket({ ...ticket, comments: [...ticket.comments, { author, at, text }], updatedAt: at }, key);
  }

  close(ticket: Ticket, resolution: string, key?: string): Ticket {
    return this.saveTicket({ ...ticket, status: 'closed', resolution, updatedAt: new Date().toISOString() }, key);
  }

  post(channel: string, author: string, text: string, key?: string): Message {
    const message = { id: this.messages.length + 1, channel, at: new Date().toISOString(), author, text };
    this.write({ message, key });
    return message;
  }

  private saveTicket(ticket: Ticket, key?: string): Ticket {
    this.write({ ticket, key });
    return ticket;
  }

  private write(entry: Entry): void {
    if (this.file) appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
    this.apply(entry);
  }

  private apply(entry: Entry): void {
    if ('arrival' in entry) return void this.arrivals.push(entry.arrival);
    if ('ticket' in entry) this.tickets.set(entry.ticket.id, entry.ticket);
    else this.messages.push(entry.message);
    if (entry.key !== undefined) this.changesByKey.set(entry.key, entry);
  }

  private nextTicketId(project: Ticket['project']): string {
    const numbers = [...this.tickets.values()]
      .filter((ticket) => ticket.project === project)
      .map((ticket) => Number(ticket.id.split('-')[1]));
    return `${project}-${String(Math.max(0, ...numbers) + 1).padStart(4, '0')}`;
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { McpSession } from '../../mcp-sessions/mcp-sessions.service.js';
import { Config } from '../../platform/config/config.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { type EventStream, openStream } from '../../platform/http/sse.js';
import { MetricsService } from '../../platform/telemetry/metrics.service.js';
import { type EventPosition, formatEventId } from './event-position.js';

const resumedTopic = 'mcp.resumed';
/** Clients of earlier versions cannot read an event without a message (SEP-1699). */
const firstWithEmptyEvents = '2025-11-25';

/** Open session streams in this process. A stream has one reader: a client that resumes it takes it over. */
@Injectable()
export class SessionStreamsService implements OnModuleInit {
  private readonly readers = new Map<string, EventStream>();

  constructor(
    private readonly wakeupChannel: WakeupChannel,
    private readonly config: Config,
    private readonly metrics: MetricsService,
  ) {}

  onModuleInit(): void {
    this.wakeupChannel.subscribe(resumedTopic, (ids) => {
      if (ids !== 'all') for (const id of ids) this.readers.get(id)?.close();
    });
  }

  /** The first event is empty and carries the position to resume from. */
  open({ protocolVersion }: McpSession, position: EventPosition, request: Request, response: Response): EventStream {
    const reader = openStream(request, response, this.config.stream);
    this.readers.set(position.id, reader);
    this.metrics.streams.inc();
    reader.onClose(() => {
      if (this.readers.get(position.id) === reader) this.readers.delete(position.id);
      this.metrics.streams.dec();
    });
    if (response.closed) reader.close(); // the client disconnected before the first byte
    if (protocolVersion >= firstWithEmptyEvents)
      reader.send({ id: formatEventId(position), retry: this.config.mcpReconnectMs, data: '' });
    return reader;
  }

  /** Closes the current reader of the stream in any process. */
  takeOver(id: string): void {
    this.wakeupChannel.publish(resumedTopic, id);
  }
}

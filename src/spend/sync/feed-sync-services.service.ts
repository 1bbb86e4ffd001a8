import { Injectable } from '@nestjs/common';
import { OutboxService } from '../../platform/events/outbox.service.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { DayReplacementService } from './day-replacement/day-replacement.service.js';
import { MembersSyncService } from './members-sync.service.js';

/** What each `FeedSync` uses. */
@Injectable()
export class FeedSyncServices {
  constructor(
    readonly dayReplacement: DayReplacementService,
    readonly members: MembersSyncService,
    readonly outbox: OutboxService,
    readonly wakeupChannel: WakeupChannel,
    readonly log: LogService,
  ) {}
}

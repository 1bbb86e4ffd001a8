import { Config } from '../../src/platform/config/config.js';
import { LogService } from '../../src/platform/telemetry/log.service.js';

/** The application's log, which writes nothing. */
export const silentLog = new LogService(Config.from({ LOG_LEVEL: 'silent' }));

/** Records the lines of every level instead of writing them. */
export class RecordingLog extends LogService {
  readonly lines: { fields: object; message: string }[] = [];

  constructor() {
    super(Config.from({ LOG_LEVEL: 'silent' }));
  }

  override debug(fields: object, message: string): void {
    this.lines.push({ fields, message });
  }
  override info(fields: object, message: string): void {
    this.lines.push({ fields, message });
  }
  override warn(fields: object, message: string): void {
    this.lines.push({ fields, message });
  }
  override error(fields: object, message: string): void {
    this.lines.push({ fields, message });
  }
}

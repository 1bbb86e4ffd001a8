import { Gather } from '../database/gather.js';

interface Reader {
  tenantId: string;
}

/**
 * What a field asks for each row of a list, asked for all of them at once: those of one request and one turn of the event
 * loop. `read` answers in the order of the ids.
 */
export class Together<By extends Reader, Out> {
  private readonly askedBy = new WeakMap<By, Gather<{ tenantId: string; id: string }, Out>>();

  constructor(private readonly read: (by: By, ids: string[]) => Promise<Out[]>) {}

  of(by: By, id: string): Promise<Out> {
    const known = this.askedBy.get(by);
    const asked =
      known ??
      new Gather<{ tenantId: string; id: string }, Out>((_, inputs) =>
        this.read(
          by,
          inputs.map((input) => input.id),
        ),
      );
    if (!known) this.askedBy.set(by, asked);
    return asked.ask({ tenantId: by.tenantId, id });
  }
}

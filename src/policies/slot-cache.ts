let instances = 0;

export interface SlotLimits {
  /** Maximum number of names. */
  count: number;
  /** Maximum total size of all entries. */
  size: number;
  /** Clears what Cedar holds under a name. */
  clear: (name: string) => void;
}

/** Identifies the content of a slot: its tenant, and a value unique to the content. */
export interface SlotKey {
  tenantId: string;
  content: string;
  size: number;
}

interface SlotEntry<T> {
  key: SlotKey;
  name: string;
  value: T;
}

/** A tenant that exceeds this share of the slots evicts its own entries. */
const largestShare = 1 / 8;

/**
 * Cedar stores parsed content under a name and never frees a name. The cache therefore reuses a bounded number of
 * names, least recently used first. A name is valid only within the synchronous step in which `acquire` returns it: any
 * later `acquire` may assign it to content of another tenant.
 */
export class SlotCache<T> {
  private readonly entries = new Map<string, SlotEntry<T>>();
  private readonly prefix = `slots ${++instances}.`;
  private readonly free: string[];
  private readonly used = new Map<string, { count: number; size: number }>();
  private size = 0;
  // no parameter property: worker processes load this file without compiling it
  private readonly limits: SlotLimits;

  constructor(limits: SlotLimits) {
    this.limits = limits;
    this.free = Array.from({ length: limits.count }, (_, index) => this.prefix + index);
  }

  find(key: Omit<SlotKey, 'size'>): T | undefined {
    return this.touch(idOf(key))?.value;
  }

  /** Returns a name that holds the content, filled by `fill` if necessary. Use it before any other code runs. */
  acquire(key: SlotKey, fill: (name: string) => T): { name: string; value: T } {
    const id = idOf(key);
    const known = this.touch(id);
    if (known) return known;
    const name = this.allocateName(key);
    try {
      const filled = { key, name, value: fill(name) };
      this.entries.set(id, filled);
      this.count(key, 1);
      return filled;
    } catch (error) {
      this.release(name);
      throw error;
    }
  }

  private touch(id: string): SlotEntry<T> | undefined {
    const known = this.entries.get(id);
    if (!known) return undefined;
    this.entries.delete(id);
    this.entries.set(id, known);
    return known;
  }

  private allocateName({ tenantId, size }: SlotKey): string {
    const freed: string[] = [];
    const free = (ofTenant?: string): boolean => {
      const name = this.evict(ofTenant);
      if (name !== undefined) freed.push(name);
      return name !== undefined;
    };
    while (this.isFull(this.used.get(tenantId), size, largestShare) && free(tenantId));
    while (this.isFull({ count: this.entries.size, size: this.size }, size, 1) && free());
    const taken = freed.pop() ?? this.free.pop()!;
    for (const name of freed) this.release(name);
    return taken;
  }

  private release(name: string): void {
    this.limits.clear(name);
    this.free.push(name);
  }

  private isFull(used: { count: number; size: number } | undefined, more: number, share: number): boolean {
    if (!used) return false;
    return used.count + 1 > Math.max(1, this.limits.count * share) || used.size + more > this.limits.size * share;
  }

  /** Frees the name of the least recently used content, of one tenant or of all. */
  private evict(tenantId?: string): string | undefined {
    for (const [id, { key, name }] of this.entries) {
      if (tenantId !== undefined && key.tenantId !== tenantId) continue;
      this.entries.delete(id);
      this.count(key, -1);
      return name;
    }
    return undefined;
  }

  private count({ tenantId, size }: SlotKey, by: 1 | -1): void {
    const used = this.used.get(tenantId) ?? { count: 0, size: 0 };
    const now = { count: used.count + by, size: used.size + by * size };
    this.size += by * size;
    if (now.count) this.used.set(tenantId, now);
    else this.used.delete(tenantId);
  }
}

const idOf = ({ tenantId, content }: Omit<SlotKey, 'size'>) => `${tenantId} ${content}`;

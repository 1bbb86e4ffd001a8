import { Injectable } from '@nestjs/common';
import type { SpendVendor } from './vendor.js';

/** Vendors that usage can be synced from, by connector. They register in `onModuleInit`. */
@Injectable()
export class SpendVendorRegistry {
  private readonly vendors = new Map<string, SpendVendor>();

  register(kind: string, vendor: SpendVendor): void {
    if (this.vendors.has(kind)) throw new Error(`a spend vendor "${kind}" is registered twice`);
    this.vendors.set(kind, vendor);
  }

  get(kind: string): SpendVendor {
    const vendor = this.vendors.get(kind);
    if (!vendor) throw new Error(`no spend vendor "${kind}" is registered`);
    return vendor;
  }

  kinds(): string[] {
    return [...this.vendors.keys()];
  }
}

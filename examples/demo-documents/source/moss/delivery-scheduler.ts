/** Chooses the cart for a delivery. Lower cost wins; ties go to the cart that has been idle the longest. */
export interface Cart {
  id: string;
  floor: number;
  metresToPickup: number;
  charge: number; // 0..1
  idleSince: Date;
  hasLockedCompartment: boolean;
}

export interface Delivery {
  id: string;
  contents: 'linen' | 'meals' | 'medicine' | 'samples' | 'other';
  pickupFloor: number;
  priority: 'normal' | 'urgent';
}

/** A change of floor costs as much as this many metres, because of the wait for the elevator. */
const METRES_PER_FLOOR_CHANGE = 70;

/** Below this charge a cart takes no new job, except an urgent one. */
const MINIMUM_CHARGE = 0.25;

export function costOf(cart: Cart, delivery: Delivery): number {
  const floors = Math.abs(cart.floor - delivery.pickupFloor);
  const lowBattery = cart.charge < 0.4 ? 50 : 0;
  return cart.metresToPickup + floors * METRES_PER_FLOOR_CHANGE + lowBattery;
}

export function mayTake(cart: Cart, delivery: Delivery): boolean {
  const needsLock = delivery.contents === 'medicine' || delivery.contents === 'samples';
  if (needsLock && !cart.hasLockedCompartment) return false;
  return cart.charge >= MINIMUM_CHARGE || (delivery.priority === 'urgent' && cart.charge >= 0.15);
}

export function chooseCart(carts: Cart[], delivery: Delivery): Cart | null {
  const candidates = carts.filter((cart) => mayTake(cart, delivery));
  candidates.sort((a, b) => costOf(a, delivery) - costOf(b, delivery) || a.idleSince.getTime() - b.idleSince.getTime());
  return candidates[0] ?? null;
}

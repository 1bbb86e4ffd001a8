/** Battery health from charge cycles, as shown in Lantern. A pack is due for exchange below 72 %. */
export const EXCHANGE_BELOW = 0.72;

export interface ChargeCycle {
  startedAt: Date;
  wattHours: number;
  fromCharge: number;
  toCharge: number;
  maxCelsius: number;
}

/** Nominal capacity of the Pika 3 pack in watt hours. The Pika 2 pack had 960. */
const NOMINAL_WATT_HOURS = 1320;

/** Capacity estimated from cycles that moved at least 40 % of the charge and stayed below 45 °C; others are too noisy. */
export function estimateHealth(cycles: ChargeCycle[]): number | null {
  const usable = cycles.filter((cycle) => cycle.toCharge - cycle.fromCharge >= 0.4 && cycle.maxCelsius < 45);
  if (usable.length < 5) return null;
  const capacities = usable.map((cycle) => cycle.wattHours / (cycle.toCharge - cycle.fromCharge)).sort((a, b) => a - b);
  return capacities[Math.floor(capacities.length / 2)] / NOMINAL_WATT_HOURS;
}

export function isDueForExchange(cycles: ChargeCycle[]): boolean {
  const health = estimateHealth(cycles);
  return health !== null && health < EXCHANGE_BELOW;
}

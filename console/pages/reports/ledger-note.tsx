import { Text } from '@mantine/core';
import { dayName } from './range.ts';

/** Says since when calls are considered, if older ones may be gone. */
export function LedgerNote({ from, ledgerSince }: { from: string; ledgerSince: string }) {
  const since = ledgerSince.slice(0, 10);
  if (since <= from) return null;
  return (
    <Text size="sm" c="dimmed" mb="sm">
      Considers calls since {dayName(since)}: older ones have been removed from the ledger.
    </Text>
  );
}

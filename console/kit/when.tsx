import { Text, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });

/** "3 minutes ago", "in 2 hours" */
export function relativeTime(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.round(seconds / length), unit);
}

const shortUnits = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** The time since then: "3 h", "12 min", "2 d" */
export function shortDuration(since: string, now: number): string {
  const seconds = (now - Date.parse(since)) / 1000;
  const unit = shortUnits.find(([, length]) => seconds >= length);
  return unit ? `${Math.floor(seconds / unit[1])} ${unit[0]}` : 'less than 1 min';
}

/** Relative time, with the exact time on hover and focus. `at`: RFC 3339. */
export function When({ at, never = '–' }: { at: string | null | undefined; never?: string }) {
  const now = useNow();
  if (!at)
    return (
      <Text span inherit c="dimmed">
        {never}
      </Text>
    );
  return (
    <Tooltip label={exact.format(new Date(at))}>
      <time dateTime={at} tabIndex={0}>
        {relativeTime(at, now)}
      </time>
    </Tooltip>
  );
}

/** The current time, updated at an interval. */
export function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

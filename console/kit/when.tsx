import { Text, Tooltip } from '@mantine/core';
import { use, useEffect, useState } from 'react';
import { ExactTimesContext } from './exact-times.ts';

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });

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

/**
 * Relative time, with the exact time on hover. It is no tab stop, because a page can have dozens; without a pointer,
 * the exact time is in lists of facts, and everywhere after "Show exact times". `at`: RFC 3339.
 */
export function When({ at, never = '–' }: { at: string | null | undefined; never?: string }) {
  const now = useNow();
  const isExact = use(ExactTimesContext);
  if (!at)
    return (
      <Text span inherit c="dimmed">
        {never}
      </Text>
    );
  const exactTime = exact.format(new Date(at));
  if (isExact)
    return (
      <time dateTime={at}>
        {exactTime}{' '}
        <Text span inherit c="dimmed">
          ({relativeTime(at, now)})
        </Text>
      </time>
    );
  return (
    <Tooltip label={exactTime}>
      <time dateTime={at}>{relativeTime(at, now)}</time>
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

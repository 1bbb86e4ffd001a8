import { Paper, Text, Title, VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { Loaded } from '../../kit/loaded.tsx';
import './calendar.css';
import { dayDifference, daysOf, monthOf, nextMonth, plusDays, type DayRange } from '../../../src/platform/time/day.ts';
import { type CoveredDay, coverageQuery } from './coverage-query.ts';
import { DayDetail } from './day-detail.tsx';
import { dayName } from './period.ts';
import { useReportParameters } from './use-report-parameters.ts';

type State = CoveredDay['usage']['state'];

/** From worst to best. */
const states = ['lost', 'pending', 'provisional', 'final'] as const;
const stateInfo: Record<State, { symbol: string; text: string }> = {
  final: { symbol: '✓', text: 'Final: synced, and closed for corrections by the vendor' },
  provisional: { symbol: '~', text: 'Provisional: synced, but the vendor may still correct it' },
  pending: { symbol: '…', text: 'Pending: not synced yet' },
  lost: { symbol: '×', text: 'Lost: never synced, and no longer available from the vendor' },
};

const stateOf = ({ usage, events }: CoveredDay): State =>
  states.find((state) => usage.state === state || events.state === state)!;

/** Limit of the API. */
const maxDays = 400;

export function Calendar({ connectionId }: { connectionId: string }) {
  const { from, to } = useReportParameters();
  const range = dayDifference(from, to) < maxDays ? { from, to } : { from: plusDays(to, 1 - maxDays), to };
  const [result, refetch] = useQuery({ query: coverageQuery, variables: { connectionId, ...range } });
  useChangeEvents('spend', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Paper p="md" component="section" aria-labelledby="days">
      <Title order={2} id="days" mb="xs">
        Days
      </Title>
      {range.from !== from && (
        <Text size="sm" c="dimmed" mb="xs">
          Shows the last {maxDays} days of the period. Choose a shorter period to see earlier days.
        </Text>
      )}
      <Loaded result={result} refetch={refetch}>
        {({ spendCoverage }) => <Months connectionId={connectionId} range={range} days={spendCoverage} />}
      </Loaded>
    </Paper>
  );
}

function Months({ connectionId, range, days }: { connectionId: string; range: DayRange; days: readonly CoveredDay[] }) {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const [chosen, choose] = useState<string | null>(null);
  const coveredDays = daysOf(range).filter((day) => byDay.has(day));
  const focusable = chosen && byDay.has(chosen) ? chosen : coveredDays.at(-1);
  const covered = chosen ? byDay.get(chosen) : undefined;
  return (
    <>
      <Legend days={days} />
      <div className="months" onKeyDown={moveWithArrows}>
        {monthsOf(range).map((month) => (
          <Month key={month} month={month} range={range} byDay={byDay} {...{ chosen, focusable, choose }} />
        ))}
      </div>
      <div aria-live="polite">{covered && <DayDetail connectionId={connectionId} day={covered} />}</div>
    </>
  );
}

const Legend = ({ days }: { days: readonly CoveredDay[] }) => (
  <ul className="legend">
    {states.toReversed().map((state) => (
      <li key={state}>
        <span className="day-sign" data-state={state} aria-hidden>
          {stateInfo[state].symbol}
        </span>
        <Text size="xs" span>
          <b className="figures">{days.filter((day) => stateOf(day) === state).length}</b> {stateInfo[state].text}
        </Text>
      </li>
    ))}
  </ul>
);

interface MonthProps {
  month: string;
  range: DayRange;
  byDay: ReadonlyMap<string, CoveredDay>;
  chosen: string | null;
  /** Roving tab index: the day that Tab reaches; arrow keys move on from there. */
  focusable: string | undefined;
  choose(day: string): void;
}

const monthName = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const Month = ({ month, range, byDay, chosen, focusable, choose }: MonthProps) => (
  <table className="month">
    <caption>{monthName.format(Date.parse(month))}</caption>
    <thead>
      <tr>
        {weekdays.map((name) => (
          <th key={name} scope="col">
            <VisuallyHidden>{name}</VisuallyHidden>
            <span aria-hidden>{name.slice(0, 2)}</span>
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {weeksOf(month).map((week) => (
        <tr key={week[0]}>
          {week.map((day) => {
            const covered = byDay.get(day);
            if (monthOf(day) !== month) return <td key={day} />;
            if (!covered || day < range.from || day > range.to)
              return (
                <td key={day}>
                  <span className="day" data-state="none">
                    {Number(day.slice(8))}
                  </span>
                </td>
              );
            return (
              <td key={day}>
                <button
                  type="button"
                  className="day"
                  data-day={day}
                  data-state={stateOf(covered)}
                  aria-label={`${dayName(day)}: ${stateOf(covered)}`}
                  aria-pressed={chosen === day}
                  tabIndex={focusable === day ? 0 : -1}
                  onClick={() => choose(day)}
                >
                  {Number(day.slice(8))}
                  <span className="day-sign" data-state={stateOf(covered)} aria-hidden>
                    {stateInfo[stateOf(covered)].symbol}
                  </span>
                </button>
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  </table>
);

function monthsOf({ from, to }: DayRange): string[] {
  const months: string[] = [];
  for (let month = monthOf(from); month <= to; month = nextMonth(month)) months.push(month);
  return months;
}

/** Whole weeks from Monday, including days of adjacent months. */
function weeksOf(month: string): string[][] {
  const first = new Date(`${month}T00:00:00Z`).getUTCDay();
  const weeks: string[][] = [];
  for (let monday = plusDays(month, -((first + 6) % 7)); monday < nextMonth(month); monday = plusDays(monday, 7))
    weeks.push(daysOf({ from: monday, to: plusDays(monday, 6) }));
  return weeks;
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

function moveWithArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  const day = (event.target as HTMLElement).dataset.day;
  if (!step || !day) return;
  event.preventDefault();
  event.currentTarget.querySelector<HTMLElement>(`[data-day="${plusDays(day, step)}"]`)?.focus();
}

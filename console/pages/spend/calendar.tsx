import { Paper, Text, Title, VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useQuery } from 'urql';
import { daysBetween, daysOf, monthOf, nextMonth, plusDays, type Range } from '../../../src/spend/reports/day-range.ts';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { Loaded } from '../../kit/loaded.tsx';
import './calendar.css';
import { DayDetail } from './day-detail.tsx';
import { dayName } from './period.ts';
import { useQuestion } from './use-question.ts';

const coverageQuery = graphql(`
  query SpendCoverage($connectionId: ID!, $from: String!, $to: String!) {
    spendCoverage(connectionId: $connectionId, from: $from, to: $to) {
      day
      revision
      usage {
        ...StreamDay
      }
      events {
        ...StreamDay
      }
    }
  }
  fragment StreamDay on SpendStreamDay @_unmask {
    state
    rows
    vendorTotal
    pulledAt
    reason
    faultyRows
    unknownFields
  }
`);
export type CoveredDay = ResultOf<typeof coverageQuery>['spendCoverage'][number];
type State = CoveredDay['usage']['state'];

/** The worst first. */
const states = ['lost', 'pending', 'provisional', 'final'] as const;
const meaning: Record<State, { sign: string; text: string }> = {
  final: { sign: '✓', text: 'Final: read when it was over, and the vendor cannot be asked any more' },
  provisional: { sign: '~', text: 'Provisional: read, and the vendor may still correct it' },
  pending: { sign: '…', text: 'Pending: not read yet' },
  lost: { sign: '×', text: 'Lost: never read, and the vendor no longer tells it' },
};
const stateOf = ({ usage, events }: CoveredDay): State =>
  states.find((state) => usage.state === state || events.state === state)!;

/** The most that the API tells at once. */
const mostDays = 400;

export function Calendar({ connectionId }: { connectionId: string }) {
  const { from, to } = useQuestion();
  const range = daysBetween(from, to) < mostDays ? { from, to } : { from: plusDays(to, 1 - mostDays), to };
  const [asked, again] = useQuery({ query: coverageQuery, variables: { connectionId, ...range } });
  useNews('spend', () => again({ requestPolicy: 'network-only' }));
  return (
    <Paper p="md" component="section" aria-labelledby="days">
      <Title order={2} id="days" mb="xs">
        Days
      </Title>
      {range.from !== from && (
        <Text size="sm" c="dimmed" mb="xs">
          The last {mostDays} days of the period; choose a shorter one for earlier days.
        </Text>
      )}
      <Loaded asked={asked} again={again}>
        {({ spendCoverage }) => <Months connectionId={connectionId} range={range} days={spendCoverage} />}
      </Loaded>
    </Paper>
  );
}

function Months({ connectionId, range, days }: { connectionId: string; range: Range; days: readonly CoveredDay[] }) {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const [chosen, choose] = useState<string | null>(null);
  const known = daysOf(range).filter((day) => byDay.has(day));
  const focusable = chosen && byDay.has(chosen) ? chosen : known.at(-1);
  const covered = chosen ? byDay.get(chosen) : undefined;
  return (
    <>
      <Legend days={days} />
      <div className="months" onKeyDown={goWithArrows}>
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
          {meaning[state].sign}
        </span>
        <Text size="xs" span>
          <b className="figures">{days.filter((day) => stateOf(day) === state).length}</b> {meaning[state].text}
        </Text>
      </li>
    ))}
  </ul>
);

interface MonthProps {
  month: string;
  range: Range;
  byDay: ReadonlyMap<string, CoveredDay>;
  chosen: string | null;
  /** The one day that the tab key reaches; arrows go on from there. */
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
                    {meaning[stateOf(covered)].sign}
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

function monthsOf({ from, to }: Range): string[] {
  const months: string[] = [];
  for (let month = monthOf(from); month <= to; month = nextMonth(month)) months.push(month);
  return months;
}

/** Whole weeks from Monday, with the days of the months beside. */
function weeksOf(month: string): string[][] {
  const first = new Date(`${month}T00:00:00Z`).getUTCDay();
  const weeks: string[][] = [];
  for (let monday = plusDays(month, -((first + 6) % 7)); monday < nextMonth(month); monday = plusDays(monday, 7))
    weeks.push(daysOf({ from: monday, to: plusDays(monday, 6) }));
  return weeks;
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

function goWithArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  const day = (event.target as HTMLElement).dataset.day;
  if (!step || !day) return;
  event.preventDefault();
  event.currentTarget.querySelector<HTMLElement>(`[data-day="${plusDays(day, step)}"]`)?.focus();
}

import { Group, Paper, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconArrowDownRight, IconArrowRight, IconArrowUpRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { count, dollars, percent } from '../../kit/figures.ts';
import { cents, type FiguresRow } from './figures-row.ts';

type Figures = FiguresRow & { activePeople: number | null };
interface Props {
  now: Figures | undefined;
  before: Figures | undefined;
  /** The period that the changes are relative to, or why there is none. */
  compared: string;
  isComparable: boolean;
}

/** Key figures, compared to the previous period. */
export function Tiles({ now, before, compared, isComparable }: Props) {
  const pair = (of: (figures: Figures) => string | number | null): Pair => ({
    now: now ? of(now) : null,
    before: before && isComparable ? of(before) : null,
  });
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm" mb="xs">
        <Tile
          label="Cost"
          value={dollars(now?.chargedCents)}
          change={<Change {...pair(({ chargedCents }) => chargedCents)} />}
        >
          {now && <Included {...now} />}
        </Tile>
        <Tile
          label="Active people"
          value={count(now?.activePeople ?? (now ? null : 0))}
          change={<Change {...pair(({ activePeople }) => activePeople)} />}
        >
          People with any usage
        </Tile>
        <Tile
          label="Completions accepted"
          value={percent(now?.tabAcceptanceRate)}
          change={<Change {...pair(({ tabAcceptanceRate }) => tabAcceptanceRate)} isShare />}
        >
          {percent(now?.applyAcceptanceRate)} of proposed changes accepted
        </Tile>
        <Tile
          label="Cost per accepted line"
          value={cents(now?.centsPerAcceptedLine)}
          change={<Change {...pair(({ centsPerAcceptedLine }) => centsPerAcceptedLine)} />}
        >
          {count(now?.metrics.lines_accepted_added)} lines added by accepted changes
        </Tile>
      </SimpleGrid>
      <Text size="xs" c="dimmed" mb="lg">
        {compared}
      </Text>
    </>
  );
}

const Tile = ({
  label,
  value,
  change,
  children,
}: {
  label: string;
  value: string;
  change: ReactNode;
  children: ReactNode;
}) => (
  <Paper p="md" component="section" aria-label={label}>
    <Stack gap={4} h="100%">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Group gap="sm" align="baseline" justify="space-between">
        <Text fz="1.6rem" fw={620} lh={1.2} className="figures">
          {value}
        </Text>
        {change}
      </Group>
      <Text size="xs" c="dimmed" component="div">
        {children}
      </Text>
    </Stack>
  </Paper>
);

function Included({ chargedCents, includedCents, usageBasedCents }: Figures) {
  const all = Number(chargedCents);
  const share = all > 0 ? (Number(includedCents) / all) * 100 : 0;
  return (
    <Stack gap={6}>
      <Progress.Root size={6} aria-hidden>
        <Progress.Section value={share} color="var(--chart-0)" />
        <Progress.Section value={all > 0 ? 100 - share : 0} color="var(--chart-1)" />
      </Progress.Root>
      <span>
        {dollars(includedCents)} included, {dollars(usageBasedCents)} overage
      </span>
    </Stack>
  );
}

interface Pair {
  now: string | number | null;
  before: string | number | null;
}

/** The change, without colour: neither direction is good or bad by itself. */
function Change({ now, before, isShare }: Pair & { isShare?: boolean }) {
  const text = changeOf(now, before, isShare);
  const Arrow =
    !text || text.startsWith('±') ? IconArrowRight : text.startsWith('+') ? IconArrowUpRight : IconArrowDownRight;
  return (
    <Group gap={2} wrap="nowrap" c="dimmed" fz="sm" className="figures">
      {text && <Arrow size={15} aria-hidden />}
      {text ?? 'No comparison'}
    </Group>
  );
}

/** "+12%"; "+2.1 points" for shares; null where a value is unknown. */
function changeOf(now: Pair['now'], before: Pair['before'], isShare = false): string | null {
  if (now === null || before === null) return null;
  const difference = Number(now) - Number(before);
  if (isShare) return `${sign(difference)}${Math.abs(difference * 100).toFixed(1)} points`;
  if (Number(before) === 0) return difference === 0 ? '±0%' : null;
  return `${sign(difference)}${percent(Math.abs(difference / Number(before)))}`;
}

const sign = (difference: number) => (difference > 0 ? '+' : difference < 0 ? '−' : '±');

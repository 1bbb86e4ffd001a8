import { Group, Skeleton, Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { Late } from './loaded.tsx';
import { ProblemNote } from './problem-note.tsx';
import './rows.css';
import type { Pages } from './use-pages.ts';

export interface Column<Node> {
  /** Column header; shown before the value on a phone. */
  label: string;
  cell(node: Node): ReactNode;
  /** Right-aligned. */
  isFigure?: boolean;
  /** Hidden on narrow screens. */
  isMinor?: boolean;
  /** Below its label on a phone, over the whole width: for long texts and fields. */
  isWide?: boolean;
  width?: string;
}

interface Props<Node> {
  /** Accessible name: "Tasks". */
  label: string;
  pages: Pages<Node>;
  columns: readonly Column<Node>[];
  keyOf(node: Node): string;
  /** Link target of a row. The first cell contains the link; the whole row is clickable. */
  to?(node: Node): string;
  /** Shown instead of an empty table. */
  empty: ReactNode;
}

const rowHeight = 53;
const nearTheEnd = 20;

/** A virtualized list of any length that loads further pages on scroll. */
export function Rows<Node>({ label, pages, columns, keyOf, to, empty }: Props<Node>) {
  const { nodes, problem, refetch } = pages;
  if (problem && !nodes) return <ProblemNote problem={problem} retry={refetch} />;
  if (!nodes)
    return (
      <Late>
        <Skeleton height={rowHeight * 4} aria-busy="true" aria-label="Loading" />
      </Late>
    );
  if (!nodes.length) return empty;
  return (
    <>
      {problem && <ProblemNote problem={problem} retry={refetch} />}
      <Table label={label} pages={pages} nodes={nodes} columns={columns} keyOf={keyOf} to={to} />
    </>
  );
}

function Table<Node>({
  label,
  pages,
  nodes,
  columns,
  keyOf,
  to,
}: Omit<Props<Node>, 'empty'> & { nodes: readonly Node[] }) {
  const table = useRef<HTMLTableElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(table.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: nodes.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (at) => keyOf(nodes[at]),
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (pages.hasMore && last >= nodes.length - nearTheEnd) pages.more();
  });
  const above = items.length ? items[0].start - top : 0;
  const below = items.length ? virtual.getTotalSize() - (items.at(-1)!.end - top) : 0;
  return (
    <>
      {/* explicit roles: the phone layout changes `display`, which removes the implicit ones */}
      <table
        ref={table}
        className="rows"
        role="table"
        aria-label={label}
        aria-rowcount={pages.totalCount < 0 ? -1 : pages.totalCount + 1}
      >
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ label, isFigure, isMinor, width }) => (
              <th
                key={label}
                role="columnheader"
                scope="col"
                style={{ width }}
                data-figure={isFigure || undefined}
                data-minor={isMinor || undefined}
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {items.map(({ index, key }) => {
            const node = nodes[index];
            return (
              <tr
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                role="row"
                aria-rowindex={index + 2}
                data-link={to ? true : undefined}
              >
                {columns.map(({ label, cell, isFigure, isMinor, isWide }, at) => (
                  <td
                    key={label}
                    role="cell"
                    data-label={label}
                    data-figure={isFigure || undefined}
                    data-minor={isMinor || undefined}
                    data-wide={isWide || undefined}
                  >
                    {to && at === 0 ? (
                      <Link to={to(node)} className="row-link">
                        {cell(node)}
                      </Link>
                    ) : (
                      <div className="cell">{cell(node)}</div>
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
      <Group justify="flex-end" mt="xs">
        <Text size="xs" c="dimmed" className="figures">
          {nodes.length.toLocaleString('en')}
          {pages.totalCount < 0
            ? pages.hasMore
              ? ' loaded'
              : ' total'
            : ` of ${pages.totalCount.toLocaleString('en')}`}
        </Text>
      </Group>
    </>
  );
}

import { Text } from '@mantine/core';
import { Link } from 'react-router';
import { Untrusted } from '../../kit/untrusted.tsx';
import type { Result, ResultGroup } from './results.ts';
import './result-list.css';

interface Props {
  id: string;
  groups: readonly ResultGroup[];
  active: Result;
  /** The pointer has moved to a result. */
  onPoint(to: string): void;
  onChosen(): void;
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`;

/** The list of a combobox: the focus stays in its input. Results are links, so that they open in a new tab as well. */
export function ResultList({ id, groups, active, onPoint, onChosen }: Props) {
  const results = groups.flatMap(({ results }) => results);
  return (
    <div id={id} role="listbox" aria-label="Results" className="result-list">
      {groups.map(({ label, results: own }) => (
        <div key={label} role="group" aria-label={label}>
          <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm" pb={4} aria-hidden>
            {label}
          </Text>
          {own.map((result) => (
            <Link
              key={result.to}
              id={optionId(id, results.indexOf(result))}
              to={result.to}
              role="option"
              aria-selected={result === active}
              tabIndex={-1}
              className="result"
              onMouseMove={() => onPoint(result.to)}
              onClick={(event) => {
                if (!event.ctrlKey && !event.metaKey && !event.shiftKey) onChosen();
              }}
            >
              <Untrusted text={result.name} />{' '}
              {result.detail && (
                <Text span size="sm" c="dimmed">
                  <Untrusted text={result.detail} />
                </Text>
              )}
            </Link>
          ))}
        </div>
      ))}
    </div>
  );
}

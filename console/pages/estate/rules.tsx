import { Anchor, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { singlePage } from '../../kit/single-page.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { ruleNames } from './labels.ts';

const rulesQuery = graphql(`
  query EstateRules {
    estateRules {
      id
      title
      why
    }
    estateAdvisories {
      asOf
      advisories {
        id
        affects
        title
        fixedIn
        url
      }
    }
  }
`);
type Rules = ResultOf<typeof rulesQuery>;
type Rule = Rules['estateRules'][number];
type Advisory = Rules['estateAdvisories']['advisories'][number];

const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

/** The rules, and the advisories that this release includes. */
export function Component() {
  const [result, refetch] = useQuery({ query: rulesQuery });
  return (
    <Loaded result={result} refetch={refetch}>
      {({ estateRules, estateAdvisories: { asOf, advisories } }) => (
        <>
          <PlainSection title="Rules" lead="Checked after every upload and scan, and when the approved list changes.">
            <Rows
              label="Rules"
              pages={singlePage(estateRules)}
              keyOf={({ id }) => id}
              columns={ruleColumns}
              empty={null}
            />
          </PlainSection>
          <PlainSection
            title="Advisories"
            lead={`Included in this release and current as of ${day.format(Date.parse(asOf))}. The server does not download advisories.`}
          >
            <Rows
              label="Advisories"
              pages={singlePage(advisories)}
              keyOf={({ id, affects }) => `${id} ${affects}`}
              columns={advisoryColumns}
              empty={<Text size="sm">This release includes no advisories.</Text>}
            />
          </PlainSection>
        </>
      )}
    </Loaded>
  );
}

const ruleColumns: readonly Column<Rule>[] = [
  { label: 'Rule', width: '24%', cell: ({ id }) => ruleNames[id] },
  { label: 'Condition', cell: ({ title }) => title },
  { label: 'Why it matters', cell: ({ why }) => why, isWide: true },
];

const advisoryColumns: readonly Column<Advisory>[] = [
  {
    label: 'Advisory',
    cell: ({ id, url }) => (
      <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
        {id}
      </Anchor>
    ),
  },
  { label: 'Affects', cell: ({ affects }) => affects },
  { label: 'Description', width: '40%', cell: ({ title }) => title, isWide: true },
  { label: 'Fixed in', cell: ({ fixedIn }) => fixedIn ?? 'No fixed version' },
];

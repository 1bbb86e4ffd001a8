import { Anchor, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { allAtOnce } from '../../kit/all-at-once.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Part } from '../../kit/part.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { ruleNames } from './words.ts';

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

/** What is looked for, and which vulnerabilities this release knows of. */
export function Component() {
  const [asked, again] = useQuery({ query: rulesQuery });
  return (
    <Loaded asked={asked} again={again}>
      {({ estateRules, estateAdvisories: { asOf, advisories } }) => (
        <>
          <Part title="Rules" lead="Looked at after every upload and reading, and when the approved list changes.">
            <Rows
              label="Rules"
              pages={allAtOnce(estateRules)}
              keyOf={({ id }) => id}
              columns={ruleColumns}
              empty={null}
            />
          </Part>
          <Part
            title="Advisories"
            lead={`They come with the release; last compared with what is published on ${day.format(Date.parse(asOf))}. Nothing is fetched for them.`}
          >
            <Rows
              label="Advisories"
              pages={allAtOnce(advisories)}
              keyOf={({ id, affects }) => `${id} ${affects}`}
              columns={advisoryColumns}
              empty={<Text size="sm">This release knows of none.</Text>}
            />
          </Part>
        </>
      )}
    </Loaded>
  );
}

const ruleColumns: readonly Column<Rule>[] = [
  { label: 'Rule', width: '24%', cell: ({ id }) => ruleNames[id] },
  { label: 'Found when', cell: ({ title }) => title },
  { label: 'Why it matters', cell: ({ why }) => why },
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
  { label: 'What it is', width: '40%', cell: ({ title }) => title },
  { label: 'Fixed in', cell: ({ fixedIn }) => fixedIn ?? 'no version' },
];

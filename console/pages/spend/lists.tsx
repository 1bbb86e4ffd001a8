import { Anchor, Button, FileButton, Group, Stack, Textarea } from '@mantine/core';
import { IconDownload, IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useClient } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { listPreview, ListPreview, type Preview } from './list-preview.tsx';

const previewQuery = graphql(
  `
    query SpendListPreview($input: SpendListInput!) {
      spendListPreview(input: $input) {
        ...ListPreview
      }
    }
  `,
  [listPreview],
);
const applyList = graphql(`
  mutation ApplySpendList($input: ApplySpendListInput!) {
    applySpendList(input: $input) {
      addedCount
      changedCount
    }
  }
`);

const template =
  'email;name;group;cost_centre;aliases\r\nada@example.com;Ada Lovelace;Platform;CC-1020;ada@old.example\r\n';
const templateAddress = `data:text/csv;charset=utf-8,${encodeURIComponent(template)}`;

/** Many people at once: a file says who belongs where; it is looked at before anything is changed. */
export function Component() {
  const client = useClient();
  const [csv, setCsv] = useState('');
  const [preview, setPreview] = useState<Preview | null>(null);
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const [isLooking, setLooking] = useState(false);

  const look = async (text: string) => {
    setCsv(text);
    setLooking(true);
    setRefusal(null);
    const asked = { input: { csv: text } };
    const { data, error } = await client.query(previewQuery, asked, { requestPolicy: 'network-only' }).toPromise();
    setPreview(data?.spendListPreview ?? null);
    setRefusal(error ? problemOf(error) : null);
    setLooking(false);
  };
  const change = (text: string) => {
    setCsv(text);
    setPreview(null);
    setRefusal(null);
  };
  const apply = useChange(applyList, {
    done: ({ applySpendList: { addedCount, changedCount } }) => `${addedCount} people added, ${changedCount} changed.`,
    onDone: () => change(''),
  });

  return (
    <>
      <Section
        title="A list of people"
        lead="A CSV file says who is in which group and cost centre. Whoever is not in it stays as they are; nothing is changed before you have seen what would be."
        actions={<Downloads />}
      >
        <Stack>
          {refusal && <ProblemNote problem={refusal} />}
          <Textarea
            label="CSV"
            description="Choose a file, or paste its text. “email” is needed; “name”, “group”, “cost_centre” and “aliases” may be there."
            autosize
            minRows={4}
            maxRows={10}
            ff="monospace"
            placeholder="email;name;group;cost_centre;aliases"
            value={csv}
            onChange={({ currentTarget }) => change(currentTarget.value)}
          />
          <Group>
            <FileButton
              accept=".csv,.txt,text/csv"
              onChange={(file) => void file?.text().then(look)}
              inputProps={{ 'aria-label': 'CSV file' }}
            >
              {(props) => (
                <Button {...props} variant="default" leftSection={<IconFileUpload size={16} aria-hidden />}>
                  Choose a file
                </Button>
              )}
            </FileButton>
            <Button
              variant={preview ? 'default' : 'filled'}
              disabled={!csv.trim()}
              loading={isLooking}
              onClick={() => void look(csv)}
            >
              Show what it would do
            </Button>
          </Group>
        </Stack>
      </Section>
      {preview && (
        <ListPreview
          preview={preview}
          problem={apply.problem}
          isApplying={apply.isSending}
          onApply={(leavesOutFaulty) => void apply.send({ input: { csv, hash: preview.hash, leavesOutFaulty } })}
          onLookAgain={() => {
            apply.forget();
            void look(csv);
          }}
        />
      )}
    </>
  );
}

const Downloads = () => (
  <Group gap="xs">
    <Anchor href={templateAddress} download="people-template.csv" size="sm">
      Template
    </Anchor>
    <Button
      component="a"
      href="/console/exports/people.csv"
      download
      variant="default"
      size="xs"
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      The list as it is
    </Button>
  </Group>
);

import { Box, Button, Group, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Problem } from '../../../api/problem.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { Unsaved } from '../../../kit/unsaved.tsx';
import { faultOf } from '../../../kit/use-change.tsx';
import { CallbackUrls } from './callback-urls.tsx';
import type { Client, Scope } from './client-fields.ts';
import { HowItRuns } from './how-it-runs.tsx';
import { Target } from './target.tsx';

export interface ClientValues {
  name: string;
  description: string;
  logoUrl: string;
  contacts: string[];
  type: Client['type'];
  isNative: boolean;
  redirectUris: string[];
  target: Client['target'];
  configurationId: string | null;
  scopes: Scope[];
  authMethod: Client['authMethod'];
}

/** A part of the form, with what the server found wrong. */
export interface FormPart {
  form: UseFormReturnType<ClientValues>;
  fault(field: string): string | undefined;
}

interface Props {
  values: ClientValues;
  /** A client stays what it was made as. */
  isTypeFixed?: boolean;
  verb: string;
  problem: Problem | null;
  again?: () => void;
  isSending: boolean;
  onSave(values: ClientValues): void;
  aside: ReactNode;
}

/** What goes to the server: what does not fit together is left out. */
export const registrationOf = ({ description, logoUrl, configurationId, ...values }: ClientValues) => ({
  ...values,
  description: description.trim() || null,
  logoUrl: logoUrl.trim() || null,
  configurationId: values.target === 'mcp' ? configurationId : null,
  redirectUris: values.redirectUris.filter(Boolean),
  isNative: values.type === 'public' && values.isNative,
  authMethod: values.type === 'public' ? ('none' as const) : values.authMethod,
});

export function ClientForm({ values, isTypeFixed, verb, problem, again, isSending, onSave, aside }: Props) {
  const form = useForm({ initialValues: values });
  const { redirectUris } = form.values;
  const fault = (field: string) => faultOf(problem, field);
  return (
    <Box component="form" maw="46rem" onSubmit={form.onSubmit(onSave)}>
      <Unsaved isDirty={form.isDirty()} />
      {problem && <ProblemNote problem={problem} again={again} />}
      <Section title="The product">
        <Stack>
          <TextInput
            label="Name"
            description="People see it when the product asks them for access."
            required
            error={fault('name')}
            {...form.getInputProps('name')}
          />
          <CallbackUrls
            value={redirectUris}
            onChange={(urls) => form.setFieldValue('redirectUris', urls)}
            fault={fault}
          />
        </Stack>
      </Section>
      <Target form={form} fault={fault} />
      <HowItRuns form={form} fault={fault} isTypeFixed={isTypeFixed} />
      <Section title="More about it" lead="All of it optional. People see the description and the logo, too.">
        <Stack>
          <Textarea
            label="Description"
            autosize
            minRows={2}
            error={fault('description')}
            {...form.getInputProps('description')}
          />
          <TextInput
            label="Logo"
            description="An https:// address of a picture."
            type="url"
            error={fault('logoUrl')}
            {...form.getInputProps('logoUrl')}
          />
          <TagsInput
            label="Contacts"
            description="E-mail addresses of those who look after it."
            acceptValueOnBlur
            error={fault('contacts')}
            {...form.getInputProps('contacts')}
          />
        </Stack>
      </Section>
      <Group>
        <Button type="submit" loading={isSending}>
          {verb}
        </Button>
        {aside}
      </Group>
    </Box>
  );
}

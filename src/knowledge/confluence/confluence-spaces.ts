import { containersToRead, type ContainerKind } from '../atlassian/chosen-containers.js';
import type { ConfluenceClient } from './confluence-client.js';
import type { ConfluenceSpace } from './confluence-schemas.js';

export const spaceKind: ContainerKind = {
  plural: 'spaces',
  noneVisible: 'The account sees no space. Give it the permission to view one.',
};

export async function visibleSpaces(confluence: ConfluenceClient): Promise<ConfluenceSpace[]> {
  const visible: ConfluenceSpace[] = [];
  for await (const page of confluence.spaces()) visible.push(...page);
  return visible;
}

export async function chosenSpaces(
  confluence: ConfluenceClient,
  settings: Record<string, unknown>,
): Promise<ConfluenceSpace[]> {
  return containersToRead(await visibleSpaces(confluence), settings, spaceKind);
}

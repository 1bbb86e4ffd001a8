import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { type ApiOperation, operationOf } from './operation.js';

/** An operation with its route. */
export interface ServedOperation {
  method: 'get' | 'post';
  /** In the notation of OpenAPI: `/v1/tasks/{id}`. */
  path: string;
  operation: ApiOperation;
}

/** Reads the operations from the controllers, so that no second list can go out of date. */
export function servedOperations(controllers: readonly Type[]): ServedOperation[] {
  return controllers.flatMap((controller) => {
    const { prototype } = controller as { prototype: Record<string, object> };
    return new MetadataScanner().getAllMethodNames(prototype).flatMap((name): ServedOperation[] => {
      const handler = prototype[name];
      const declared = operationOf(handler);
      if (!declared) return [];
      const method = Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.POST ? 'post' : 'get';
      const parts = [Reflect.getMetadata(PATH_METADATA, controller), Reflect.getMetadata(PATH_METADATA, handler)];
      const path = parts.map(String).join('/').split('/').filter(Boolean).join('/');
      return [{ method, path: `/${path.replace(/:(\w+)/g, '{$1}')}`, operation: declared }];
    });
  });
}

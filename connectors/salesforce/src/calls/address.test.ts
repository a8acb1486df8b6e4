import { describe, expect, test } from 'vitest';
import { absolutePath, defaultAudience, instanceOrigin, loginOrigin, routeOf } from './address.ts';

const login = (url: string): URL => loginOrigin(url);

describe('where credentials and tokens may go', () => {
  test.each([
    'http://acme.my.salesforce.com',
    'http://127.0.0.1.evil.example',
    'ftp://localhost',
    'https://user:word@acme.my.salesforce.com',
    'acme',
  ])('loginUrl %s is refused', (url) => {
    expect(() => login(url)).toThrow(expect.objectContaining({ code: 'invalid_config' }));
  });

  test.each(['http://127.0.0.1:9', 'http://localhost:9', 'http://[::1]:9'])(
    'plain http is for this machine: %s',
    (url) => {
      expect(login(url).origin).toBe(url);
    },
  );

  test.each([
    ['https://acme.my.salesforce.com/', 'https://acme.my.salesforce.com'],
    ['https://na139.salesforce.com/x', 'https://na139.salesforce.com'],
  ])('an instance of Salesforce is taken: %s', (instance, origin) => {
    expect(instanceOrigin(instance, login('https://login.salesforce.com'))).toBe(origin);
  });

  test('the host of the login is taken, whatever its name', () => {
    const own = 'https://gateway.acme.example';
    expect(instanceOrigin(own, login(own))).toBe(own);
    expect(() => instanceOrigin('https://other.acme.example', login(own))).toThrow();
  });

  test.each([
    'https://evil.example',
    'https://salesforce.com.evil.example',
    'https://evilsalesforce.com',
    'https://acme.my.salesforce.com:8443',
    'http://acme.my.salesforce.com',
    'http://127.0.0.1:80',
    'https://localhost',
    '',
    null,
  ])('any other instance is refused: %s', (instance) => {
    expect(() => instanceOrigin(instance, login('https://acme.my.salesforce.com'))).toThrow(
      expect.objectContaining({ code: 'untrusted_instance', outcome: 'notSent' }),
    );
  });

  test('a login on this machine leads to this machine only', () => {
    const here = login('http://127.0.0.1:1');
    expect(instanceOrigin('http://localhost:2', here)).toBe('http://localhost:2');
    expect(() => instanceOrigin('https://acme.my.salesforce.com', here)).toThrow();
  });
});

test.each([
  ['https://acme.my.salesforce.com', 'https://login.salesforce.com'],
  ['https://login.salesforce.com', 'https://login.salesforce.com'],
  ['https://acme--uat.sandbox.my.salesforce.com', 'https://test.salesforce.com'],
  ['https://test.salesforce.com', 'https://test.salesforce.com'],
  ['http://127.0.0.1:5', 'http://127.0.0.1:5'],
])('the audience for %s is %s', (url, audience) => {
  expect(defaultAudience(login(url))).toBe(audience);
});

describe('paths', () => {
  test('are under the version unless they begin with a slash', () => {
    expect(absolutePath('limits', '59.0')).toBe('/services/data/v59.0/limits');
    expect(absolutePath('/services/apexrest/x', '59.0')).toBe('/services/apexrest/x');
  });

  test.each(['a b', 'a\r\nhost: evil', '//evil.example/x', 'a#b', 'ü'])('%j is refused', (path) => {
    expect(() => absolutePath(path, '59.0')).toThrow(
      expect.objectContaining({ code: 'invalid_path' }),
    );
  });

  test.each([
    ['/services/data/v59.0/sobjects/ContentVersion', 'sobjects/ContentVersion'],
    [
      '/services/data/v59.0/sobjects/ContentVersion/068000000000001/VersionData',
      'sobjects/ContentVersion/VersionData',
    ],
    ['/services/data/v59.0/sobjects/X__c/Key__c/a%20secret', 'sobjects/X__c'],
    ['/services/data/v59.0/sobjects/X__c/describe', 'sobjects/X__c/describe'],
    ['/services/data/v59.0/query?q=SELECT', 'query'],
    ['/services/data/v59.0/query/01gD0000002HU6KIAW-2000', 'query'],
    ['/services/data/v59.0/composite/graph', 'composite/graph'],
    ['/services/data/v59.0/composite/sobjects?ids=1,2', 'composite/sobjects'],
    ['/services/data/v59.0/limits', 'limits'],
    ['/services/apexrest/millrace/v1/claim', 'apexrest/millrace/v1/claim'],
    ['/services/apexrest/x/001D000000IqhSLIAZ', 'apexrest/x'],
  ])('%s is counted as %s', (path, route) => {
    expect(routeOf(path)).toBe(route);
  });
});

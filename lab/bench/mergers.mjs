// The engines of `merge`, each set up as its own documentation advises, and as fast as its options allow.

import { createReport } from 'docx-templates';
import Docxtemplater from 'docxtemplater';
import { TemplateHandler } from 'easy-template-x';
import PizZip from 'pizzip';
import { compile } from '@millrace/docx';
import { dialects, invoiceTemplate } from './invoice.mjs';

const valueAt = (scope, keys) => keys.reduce((at, key) => at?.[key], scope);

/** The least that docxtemplater needs for dotted paths: its own parser does not know them. */
const dotted = (tag) => {
  const keys = tag.split('.');
  return { get: (scope) => valueAt(scope, keys) };
};

/** What reads a template and fills nothing in: name → template of so many invoices → the function that is measured. */
export const compilers = {
  Millrace: (times) => {
    const bytes = invoiceTemplate(dialects.millrace, times);
    return () => compile(bytes);
  },
  docxtemplater: (times) => {
    const bytes = invoiceTemplate(dialects.docxtemplater, times);
    return () => new Docxtemplater(new PizZip(bytes), { parser: dotted, paragraphLoop: true });
  },
};

/** Key → name, and `open`, which is not measured and gives the function that is: data → DOCX. */
export const mergers = {
  millrace: {
    name: 'Millrace, compiled once',
    open() {
      const template = compile(invoiceTemplate(dialects.millrace));
      return (data) => template.merge(data);
    },
  },
  /** Only reported: the first merge of a template, with nothing in the cache. */
  millraceCold: {
    name: 'Millrace, compiled each time',
    open() {
      const bytes = invoiceTemplate(dialects.millrace);
      return (data) => compile(bytes).merge(data);
    },
  },
  docxTemplates: {
    name: 'docx-templates',
    open() {
      const template = invoiceTemplate(dialects.docxTemplates);
      const cmdDelimiter = ['{{', '}}'];
      // Without its sandbox and without indented XML: both cost time, and neither is needed here.
      const options = { cmdDelimiter, noSandbox: true, indentXml: false, compressionLevel: 1 };
      return (data) => createReport({ template, data, ...options });
    },
  },
  docxtemplater: {
    name: 'docxtemplater',
    open() {
      const template = invoiceTemplate(dialects.docxtemplater);
      // It parses the template again for each document: an instance renders once. The parser that it recommends
      // compiles expressions.
      const options = { parser: dotted, paragraphLoop: true, linebreaks: true };
      return (data) => {
        const document = new Docxtemplater(new PizZip(template), options);
        document.render(data);
        return document.getZip().generate({
          type: 'nodebuffer',
          compression: 'DEFLATE',
          compressionOptions: { level: 1 },
        });
      };
    },
  },
  easyTemplateX: {
    name: 'easy-template-x',
    open() {
      const template = invoiceTemplate(dialects.easyTemplateX);
      // Its own resolver does not know dotted paths either; this one does less than its own.
      const scopeDataResolver = ({ strPath, data }) => valueAt(data, strPath.join('.').split('.'));
      const handler = new TemplateHandler({ scopeDataResolver });
      return (data) => handler.process(template, data);
    },
  },
};
